import { setTimeout as delay } from "node:timers/promises";
import type { GROUPS } from "../../src/ports/event-log.ts";
import { ROLES } from "../support/fleet.ts";
import { until } from "../support/until.ts";
import type { Trial } from "./trial.ts";

const FROZEN_MS = 20_000;
const DOWN_MS = { min: 500, max: 4_000 };
/** The roles that share partitions, and what their group loses when one of two is taken out. */
const SHARING: readonly (keyof typeof GROUPS)[] = ["ingest", "evaluate", "record", "deliver"];

/** Strikes once, and gives what was struck; resolves when whatever it was is there again, not yet when all is well. */
export type Fault = (trial: Trial) => Promise<string>;

const killWorker: Fault = async ({ fleet, chance }) => {
  const role = chance.oneOf(ROLES);
  await fleet.kill(chance.oneOf(fleet.of(role)));
  await fleet.add(role);
  return role;
};

/** The zombie: it wakes with all it had in hand, after others have taken over. */
const freezeWorker: Fault = async ({ fleet, groups, chance }) => {
  const role = chance.oneOf(SHARING);
  const { service } = chance.oneOf(fleet.of(role));
  const before = (await groups.describe(role)).members;
  const began = performance.now();
  service.freeze();
  try {
    await until(
      `the group of ${role} to throw the frozen worker out`,
      async () => {
        const { state, members } = await groups.describe(role);
        return state === "Stable" && members < before;
      },
      FROZEN_MS,
    );
    // A fault's length, not a wait for something to happen.
    await delay(FROZEN_MS - (performance.now() - began));
  } finally {
    service.thaw();
  }
  return role;
};

interface Server {
  start(): Promise<void>;
}

const downAndUp =
  (name: string, serverOf: (trial: Trial) => Server, stop: (trial: Trial) => Promise<void>): Fault =>
  async (trial) => {
    await stop(trial);
    const downMs = trial.chance.between(DOWN_MS.min, DOWN_MS.max);
    await delay(downMs);
    await serverOf(trial).start();
    return `${name}, ${(downMs / 1_000).toFixed(1)} s`;
  };

const dropSource: Fault = async ({ feeds, chance }) => {
  const feed = chance.oneOf(feeds);
  const before = feed.connections;
  feed.drop();
  await until("the source to come back", () => feed.connections > before, 30_000);
  return `source ${feeds.indexOf(feed)}`;
};

/** One of each kind. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  "worker killed": killWorker,
  "worker frozen for 20 s": freezeWorker,
  "broker killed": downAndUp(
    "Kafka",
    ({ stack }) => stack.kafka,
    ({ stack }) => stack.kafka.kill(),
  ),
  "database stopped at once": downAndUp(
    "PostgreSQL",
    ({ stack }) => stack.postgres,
    ({ stack }) => stack.postgres.stopAtOnce(),
  ),
  "time series killed": downAndUp(
    "ClickHouse",
    ({ stack }) => stack.clickHouse,
    ({ stack }) => stack.clickHouse.kill(),
  ),
  "source dropped": dropSource,
};
