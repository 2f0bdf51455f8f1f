import { writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { z } from "zod";
import { Fleet } from "../support/fleet.ts";
import { Groups } from "../support/groups.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { Ambiguity } from "./ambiguity.ts";
import { Chance } from "./chance.ts";
import { type Check, checkAcceptance, checkEvents, checkReadings } from "./checks.ts";
import { Endpoints } from "./endpoints.ts";
import { Feed } from "./feed.ts";
import { FAULTS } from "./kinds.ts";
import { Mirror } from "./mirror.ts";
import { recovered } from "./recovery.ts";
import { EACH, PARTITIONS, READINGS_PER_SECOND, SOURCES, type Trial } from "./trial.ts";

const LONG_MS = 10 * 60_000;
const BETWEEN_MS = { min: 500, max: 3_000 };
const CATCH_UP_MS = 300_000;
const WithId = z.object({ id: z.string() });

const { values } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    report: { type: "string" },
  },
});
const seed = Number(values.seed);
const chance = new Chance(seed);
const began = performance.now();
const say = (line: string) =>
  process.stdout.write(`${((performance.now() - began) / 1_000).toFixed(1).padStart(7)} s  ${line}\n`);

const connectSources = async (fleet: Fleet, feeds: readonly Feed[]): Promise<void> => {
  const api = fleet.api();
  const rule = { name: "weak", condition: { operator: "below", value: -70 } };
  await api.expect(WithId, "POST", "/v1/alerts/rules", rule);
  for (const [index, { url }] of feeds.entries()) {
    const source = {
      type: "websocket",
      name: `source ${index}`,
      url,
      defaults: { noDataAfterSeconds: null },
    };
    await api.expect(WithId, "POST", "/v1/integrations/sources", source);
  }
};

/** The kinds to come: each once in an order of chance, or as many as there is time for. */
function* kinds(): Generator<string> {
  const names = Object.keys(FAULTS);
  do yield* chance.shuffled(names);
  while (values.long && performance.now() - began < LONG_MS);
}

const strike = async (trial: Trial, ambiguity: Ambiguity): Promise<void> => {
  for (const kind of kinds()) {
    await delay(chance.between(BETWEEN_MS.min, BETWEEN_MS.max));
    const at = performance.now();
    const struck = await FAULTS[kind]?.(trial);
    const back = performance.now();
    await recovered(trial);
    await ambiguity.look(trial.fleet);
    const seconds = (ms: number) => (ms / 1_000).toFixed(1);
    say(
      `${kind.padEnd(25)} ${String(struck).padEnd(20)} took ${seconds(back - at)} s, well after ${seconds(performance.now() - back)} s more`,
    );
  }
};

const verify = async (
  { stack, fleet, feeds }: Trial,
  mirror: Mirror,
  ambiguity: Ambiguity,
  endpoints: Endpoints,
): Promise<Check[]> => {
  for (const feed of feeds) feed.pause();
  const api = fleet.api();
  await api.caughtUp(CATCH_UP_MS);
  const told = await api.events();
  const delivered = await endpoints.check(stack, told);
  // What a connection that is open until now has brought must be there: a stop ends it.
  const senders = feeds.map((feed) => feed.soFar());
  const codes = await fleet.stop();
  const logged = await mirror.finish();
  const sent = feeds.reduce((sum, { readingsSent }) => sum + readingsSent, 0);
  say(`${sent} readings sent, ${logged.accepted} accepted; ${logged.trimmed} records trimmed meanwhile`);
  return [
    ...checkAcceptance(senders, mirror.rounds, logged, ambiguity.appends),
    ...(await checkReadings(stack, logged)),
    ...checkEvents(told, logged),
    ...delivered,
    {
      what: "every worker ends with code 0",
      holds: codes.every((code) => code === 0),
      figures: codes.join(" "),
    },
  ];
};

const tryAll = async (stack: Stack, cleanup: AsyncDisposableStack): Promise<Check[]> => {
  const perSource = READINGS_PER_SECOND / SOURCES;
  const feeds = await Promise.all(
    Array.from({ length: SOURCES }, (_, index) => Feed.start(index, perSource)),
  );
  cleanup.defer(() => {
    for (const feed of feeds) feed.stop();
  });
  const environment = { PARTITIONS: String(PARTITIONS), WEBHOOK_ALLOW_PRIVATE: "true" };
  const fleet = cleanup.adopt(await Fleet.start(stack, EACH, environment), (it) => it.remove());
  const mirror = cleanup.adopt(await Mirror.start(stack), (it) => it.close());
  const groups = cleanup.adopt(new Groups(stack, PARTITIONS), (it) => it.close());
  const endpoints = cleanup.adopt(new Endpoints(), (it) => it.stop());
  const trial: Trial = { stack, fleet, feeds, groups, chance };
  try {
    await endpoints.register(fleet);
    await connectSources(fleet, feeds);
    await recovered(trial);
    say(
      `${EACH} of each worker, ${READINGS_PER_SECOND} readings/s over ${PARTITIONS} partitions; seed ${seed}`,
    );
    const ambiguity = new Ambiguity();
    await strike(trial, ambiguity);
    return await verify(trial, mirror, ambiguity, endpoints);
  } catch (error) {
    process.stderr.write(fleet.printed.slice(-20_000));
    throw error;
  }
};

const run = async (stack: Stack): Promise<Check[]> => {
  const cleanup = new AsyncDisposableStack();
  cleanup.defer(() => stack.remove());
  try {
    return await tryAll(stack, cleanup);
  } finally {
    await cleanup.disposeAsync();
  }
};

const stack = await startStack();
if ("missing" in stack) {
  process.stderr.write(`The fault suite kills a Kafka broker of its own, and has none: ${stack.missing}\n`);
  process.exit(1);
}
const checks = await run(stack);
for (const { what, holds, figures } of checks)
  process.stdout.write(`${holds ? "holds " : "BROKEN"}  ${what}: ${figures}\n`);
const failed = checks.filter(({ holds }) => !holds).length;
process.stdout.write(`${checks.length - failed} hold, ${failed} broken, seed ${seed}\n`);
if (values.report !== undefined)
  await writeFile(values.report, JSON.stringify({ passed: checks.length - failed, failed }));
process.exit(failed > 0 ? 1 : 0);
