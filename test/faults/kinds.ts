import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { ROLES } from "../support/fleet.ts";
import { asked } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import type { Trial } from "./trial.ts";

const FROZEN_MS = 20_000;
const DOWN_MS = { min: 500, max: 4_000 };
const WithId = z.object({ id: z.string() });

type Worker = ReturnType<Trial["fleet"]["of"]>[number];
/** The roles that share partitions, and by which of its metrics each says what it has. */
const HOLDINGS = {
  ingest: /^ingest_sources\{state="connected"\} (\d+)$/gm,
  evaluate: /^evaluate_lag\{()/gm,
  record: /^record_lag\{()/gm,
  deliver: /^deliver_lag\{()/gm,
};
type Sharing = keyof typeof HOLDINGS;
const SHARING = ["ingest", "evaluate", "record", "deliver"] as const;

/** The sum of what a pattern finds; a finding without a number counts as one. */
const metricOf = async ({ url }: Worker, pattern: RegExp): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(pattern)].reduce((sum, [, count]) => sum + Number(count || 1), 0);
};
const heldBy = (worker: Worker): Promise<number> => {
  const role = SHARING.find((one) => one === worker.role);
  if (role === undefined) throw new Error(`${worker.role} shares nothing`);
  return metricOf(worker, HOLDINGS[role]);
};

/** Strikes once, and gives what was struck; resolves when whatever it was is there again, not yet when all is well. */
export type Fault = (trial: Trial) => Promise<string>;

const killWorker: Fault = async ({ fleet, chance }) => {
  const role = chance.oneOf(ROLES);
  await fleet.kill(chance.oneOf(fleet.of(role)));
  await fleet.add(role);
  return role;
};

/** The zombie: it wakes with all it had in hand, after others have taken over. */
/** While it stands still the others must come to have all that it had, which is asserted before it wakes. */
const freezeFor = async (frozen: Worker, takenOver: () => Promise<boolean>): Promise<void> => {
  const began = performance.now();
  frozen.service.freeze();
  try {
    await until(`what the frozen ${frozen.role} had to be another's`, takenOver, FROZEN_MS);
    // A fault's length, not a wait for something to happen.
    await delay(FROZEN_MS - (performance.now() - began));
  } finally {
    frozen.service.thaw();
  }
};

/** The one that has the most: one that has nothing would wake as no zombie. */
const holderOf = (workers: readonly Worker[], share: (worker: Worker) => Promise<number>) =>
  until("one to say in its metrics what it has", async () => {
    const shares = await Promise.all(workers.map(async (worker) => ({ worker, held: await share(worker) })));
    const [most] = shares.toSorted((a, b) => b.held - a.held);
    if (most === undefined || most.held === 0) return null;
    return { ...most, all: shares.reduce((sum, { held }) => sum + held, 0) };
  });

const freezeSharer = async ({ fleet }: Trial, role: Sharing): Promise<string> => {
  const { worker, held, all } = await holderOf(fleet.of(role), heldBy);
  const others = fleet.of(role).filter((other) => other !== worker);
  await freezeFor(worker, async () => {
    const theirs = await Promise.all(others.map(heldBy));
    return theirs.reduce((sum, each) => sum + each, 0) === all;
  });
  return `${role}, had ${held} of ${all}`;
};

/** The one that copies the outbox: changes made through the other go on having their effect. */
const freezeRelay = async ({ fleet, stack }: Trial): Promise<string> => {
  const relayed = (worker: Worker) => metricOf(worker, /^relay_rows_total (\d+)$/gm);
  const { worker } = await holderOf(fleet.of("serve"), relayed);
  const others = fleet.of("serve").filter((other) => other !== worker);
  const api = fleet.api(fleet.of("serve").indexOf(others[0] ?? worker));
  await freezeFor(worker, async () => {
    const rule = { name: "unused", enabled: false, condition: { operator: "below", value: -199 } };
    const { id } = await api.expect(WithId, "POST", "/v1/alerts/rules", rule);
    await api.call("DELETE", `/v1/alerts/rules/${id}`);
    const [left] = await asked<{ rows: number }>(
      stack.postgres.url(),
      "select count(*)::int as rows from outbox",
    );
    return left?.rows === 0;
  });
  return "serve, the relay";
};

/** The zombie: it wakes with all it had in hand, after others have taken over. */
const freezeWorker: Fault = (trial) => {
  const role = trial.chance.oneOf([...SHARING, "serve"] as const);
  return role === "serve" ? freezeRelay(trial) : freezeSharer(trial, role);
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
