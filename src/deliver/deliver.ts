import { ENGINE } from "../domain/backoff.ts";
import { retrying } from "../domain/retry.ts";
import { type ControlStore, ControlUnavailableError } from "../ports/control-store.ts";
import {
  type Assignment,
  type EventLog,
  GROUPS,
  LogUnavailableError,
  type PartitionConsumer,
} from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { RunningWorker } from "../ports/worker.ts";
import { deliverMetrics } from "./metrics.ts";
import { stateRows } from "./projection.ts";

export interface DeliverOptions extends Surroundings {
  readonly log: EventLog;
  readonly control: ControlStore;
}

const LAG_EVERY_MS = 1_000;
/** What came meanwhile shares a transaction: the embedded engine makes it durable on the thread that does all else. */
const PROJECT_EVERY_MS = 100;

/** Reads what happened and carries each signal's status, reasons and sequence into control data. */
export const startDeliver = async (options: DeliverOptions): Promise<RunningWorker> => {
  const { log, clock } = options;
  const logger = options.telemetry.log.child({ worker: "deliver" });
  const metrics = deliverMetrics(options.telemetry.metrics);

  const retry = (signal: AbortSignal) => ({
    policy: ENGINE,
    retriable: (error: unknown) =>
      error instanceof ControlUnavailableError || error instanceof LogUnavailableError,
    sleep: (ms: number, aborted?: AbortSignal) => clock.sleep(ms, aborted),
    random: () => options.entropy.random(),
    signal,
    failed: (error: unknown, attempt: number) => {
      const name = error instanceof LogUnavailableError ? "log_unavailable" : "control_unavailable";
      metrics.retries.add(1, { reason: name });
      logger.warn({ attempt, error: String(error) }, name);
    },
  });

  const consumer = (assignment: Assignment): PartitionConsumer => ({
    startAt: assignment.committed ?? assignment.earliest,
    records: async (batch) => {
      const startedAt = clock.monotonic();
      const rows = stateRows(batch, (record, error) => {
        metrics.unreadable.add(1);
        logger.error({ offset: record.offset, error: String(error) }, "deliver_event_unreadable");
      });
      const next = (batch.at(-1)?.offset ?? -1) + 1;
      await retrying(() => options.control.signalStates.project(rows), retry(assignment.signal));
      await retrying(() => assignment.commit(next), retry(assignment.signal));
      metrics.events.add(batch.length);
      const restMs = PROJECT_EVERY_MS - (clock.monotonic() - startedAt);
      if (restMs > 0) await clock.sleep(restMs, assignment.signal).catch(() => undefined);
    },
    revoked: async () => undefined,
  });

  const member = await log.consume({
    group: GROUPS.deliver,
    topic: "events",
    assigned: async (assignment) => consumer(assignment),
  });
  const cancelLag = clock.every(LAG_EVERY_MS, () => {
    metrics.lag.replace([...member.lag()].map(([partition, lag]) => [lag, { partition: String(partition) }]));
  });
  return {
    name: "deliver",
    health: () => {
      const trouble = member.trouble();
      return [{ name: "deliver", state: trouble === null ? "ok" : "degraded", detail: trouble }];
    },
    stop: async () => {
      cancelLag();
      await member.stop();
    },
  };
};
