import { decodeLive } from "../domain/live.ts";
import { type LogRecord, RECORD_KIND } from "../domain/log-record.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { LiveValues } from "./live-values.ts";
import type { Probes } from "./probes.ts";
import { type RunningTail, startTail } from "./tail.ts";

interface LiveTailOptions extends Surroundings {
  readonly log: EventLog;
  readonly live: LiveValues;
  readonly probes: Probes;
}

/** Reads topic `live` from its beginning: newest values, and the answers to probes. */
export const startLiveTail = (options: LiveTailOptions): RunningTail => {
  const { live, probes, telemetry } = options;
  const unreadable = telemetry.metrics.counter(
    "live_unreadable_total",
    "Records of topic live of no known form.",
  );
  const take = (record: LogRecord) => {
    const kind = record.headers[RECORD_KIND];
    if (kind === undefined) live.apply(decodeLive(record.value));
    else if (kind === "probe-answer") probes.answer(record);
  };
  const records = (batch: readonly LogRecord[]) => {
    for (const record of batch) {
      try {
        take(record);
      } catch (err) {
        unreadable.add(1);
        telemetry.log.error({ topic: "live", offset: record.offset, err }, "live_unreadable");
      }
    }
  };
  return startTail({ ...options, topic: "live", from: 0, records });
};
