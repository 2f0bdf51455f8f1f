import { ENGINE, fullJitterMs } from "../domain/backoff.ts";
import type { LogRecord } from "../domain/log-record.ts";
import type { EventLog, Topic } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { Health } from "../ports/worker.ts";

interface TailTask extends Surroundings {
  readonly log: EventLog;
  readonly topic: Topic;
  readonly from: number;
  /** The next batch comes after this resolves. */
  readonly records: (batch: readonly LogRecord[], signal: AbortSignal) => void | Promise<void>;
}

export interface RunningTail {
  health(): Health;
  stop(): Promise<void>;
}

/** Reads a topic for as long as the worker runs; a log that cannot be read is tried again from where it stopped. */
export const startTail = (task: TailTask): RunningTail => {
  const { clock, entropy, topic } = task;
  const stopping = new AbortController();
  const { signal } = stopping;
  const failures = task.telemetry.metrics.counter("tail_failed_total", "Tails that broke.", ["topic"]);
  let next = task.from;
  let attempt = 0;

  const read = async () => {
    for await (const batch of task.log.tail(topic, { from: next, signal })) {
      await task.records(batch, signal);
      next = (batch.at(-1)?.offset ?? next - 1) + 1;
      attempt = 0;
    }
  };
  const run = async () => {
    while (!signal.aborted) {
      try {
        await read();
      } catch (err) {
        if (signal.aborted) return;
        failures.add(1, { topic });
        task.telemetry.log.warn({ topic, next, err }, "tail_failed");
      }
      const waitMs = fullJitterMs(ENGINE, attempt++, entropy.random());
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  };
  const done = run();

  return {
    health: () => ({
      name: `serve ${topic}`,
      state: attempt > 3 ? "degraded" : "ok",
      detail: attempt > 3 ? `topic ${topic} cannot be read; see the event log's own state` : null,
    }),
    stop: async () => {
      stopping.abort(new Error("serve stops"));
      await done;
    },
  };
};
