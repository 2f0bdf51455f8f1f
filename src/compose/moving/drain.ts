import { startDeliver } from "../../deliver/deliver.ts";
import { startEvaluate } from "../../evaluate/evaluate.ts";
import { GROUPS, type Topic } from "../../ports/event-log.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import type { RunningWorker } from "../../ports/worker.ts";
import { startRecord } from "../../record/record.ts";
import { startRelay } from "../../serve/relay.ts";
import type { Engines } from "../engines.ts";
import { StartError } from "../start-error.ts";
import type { LogEnds } from "./manifest.ts";
import { counted, type Step } from "./terminal.ts";

const LOOK_EVERY_MS = 100;
const STALLED_AFTER_MS = 60_000;

const behind = async (
  { log }: Engines,
  topic: Topic,
  placeOf: (partition: number) => Promise<number>,
): Promise<number> => {
  let records = 0;
  for (const { partition, end } of await log.bounds(topic))
    records += Math.max(0, end - (await placeOf(partition)));
  return records;
};

const behindCommit = async (engines: Engines, group: string, topic: Topic): Promise<number> => {
  const committed = await engines.log.committed(group, topic);
  return behind(engines, topic, async (partition) => committed.get(partition) ?? 0);
};

const behindRecord = (engines: Engines, topic: Topic): Promise<number> => {
  const { log, control } = engines;
  return behind(
    engines,
    topic,
    async (partition) => (await control.recordProgress.read(log.logId, topic, partition)).done,
  );
};

/** Records that are still to be worked on. In the order in which one gives rise to another: once 0, it stays 0. */
const leftToDo = async (engines: Engines): Promise<number> => {
  const { outbox } = engines.control;
  const changes = (await outbox.read(await outbox.relayed(), 1_000)).length;
  return (
    changes +
    (await behindCommit(engines, GROUPS.evaluate, "readings")) +
    (await behindRecord(engines, "readings")) +
    (await behindRecord(engines, "events")) +
    (await behindCommit(engines, GROUPS.deliver, "events"))
  );
};

const troubles = (engines: Engines, workers: readonly Pick<RunningWorker, "health">[]): string =>
  [engines.log.health(), engines.control.health(), engines.timeSeries.health()]
    .concat(workers.flatMap((worker) => worker.health()))
    .flatMap(({ name, detail }) => (detail === null ? [] : [`\n${name}: ${detail}`]))
    .join("");

const untilDone = async (
  engines: Engines,
  workers: readonly RunningWorker[],
  { clock }: Surroundings,
  step: Step,
): Promise<void> => {
  let [least, leastAt] = [Number.POSITIVE_INFINITY, clock.monotonic()];
  for (;;) {
    const left = await leftToDo(engines);
    if (left === 0) return;
    if (left < least) [least, leastAt] = [left, clock.monotonic()];
    if (clock.monotonic() - leastAt > STALLED_AFTER_MS)
      throw new StartError(
        `${counted(left)} records of the log are left, and none was done for ${STALLED_AFTER_MS / 1_000} s.${troubles(engines, workers)}`,
      );
    step.at(`${counted(left)} records left`);
    await clock.sleep(LOOK_EVERY_MS);
  }
};

/**
 * Does what the log still holds, with nothing new coming in, until there is nothing left; then every evaluator leaves
 * its state behind, sealed. No tick is appended: while this works, no signal grows silent.
 */
export const drain = async (engines: Engines, surroundings: Surroundings, step: Step): Promise<void> => {
  const shared = { ...engines, ...surroundings };
  const stack = new AsyncDisposableStack();
  const workers: RunningWorker[] = [];
  const add = (worker: RunningWorker) => {
    workers.push(worker);
    stack.defer(() => worker.stop());
  };
  try {
    stack.adopt(startRelay(shared), (relay) => relay.stop());
    add(await startDeliver({ ...shared, sender: null }));
    add(await startRecord({ ...shared, settings: { trim: false } }));
    add(await startEvaluate({ ...shared, settings: { tickAfterMs: Number.POSITIVE_INFINITY } }));
    await untilDone(engines, workers, surroundings, step);
  } finally {
    await stack.disposeAsync();
  }
};

/** Where everything stands after a drain. Throws StartError where a partition's state is not sealed there. */
export const drainedEnds = async (engines: Engines): Promise<LogEnds> => {
  const { log, control } = engines;
  const readings: number[] = [];
  for (const { partition, end } of await log.bounds("readings")) {
    const seal = await control.snapshots.newest(partition);
    if (end > 0 && (seal?.logId !== log.logId || seal.offset !== end))
      throw new StartError(
        `The state of partition ${partition} was not kept: see the lines above, and run this again.`,
      );
    readings.push(end);
  }
  const [events] = await log.bounds("events");
  return { logId: log.logId, readings, events: events?.end ?? 0 };
};
