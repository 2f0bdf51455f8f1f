import { readLivePlace } from "../domain/live.ts";
import { type LogRecord, RECORD_KIND } from "../domain/log-record.ts";
import type { Snapshots } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import { LiveReseed } from "./live-reseed.ts";
import type { LiveValues } from "./live-values.ts";
import type { Probes } from "./probes.ts";
import { type RunningTail, startTail } from "./tail.ts";

interface LiveTailOptions extends Surroundings {
  readonly log: EventLog;
  readonly snapshots: Snapshots;
  readonly live: LiveValues;
  readonly probes: Probes;
}

/** Gives every record of topic `live` to whom it is for. */
const livePart =
  ({ log, live, probes }: LiveTailOptions) =>
  (record: LogRecord) => {
    const kind = record.headers[RECORD_KIND];
    if (kind === "probe-answer" || kind === "pending-answer") probes.answer(record);
    if (kind !== undefined) return;
    const place = readLivePlace(record.headers);
    // What was told of the log before this one says nothing of this one's offsets.
    if (place === null || place.logId === log.logId) live.applyBlock(record.value, place?.offset ?? null);
  };

/** Reads topic `live` from its beginning: newest values, and the answers to probes. */
export const startLiveTail = (options: LiveTailOptions): RunningTail => {
  const { log, metrics } = options.telemetry;
  const unreadable = metrics.counter("live_unreadable_total", "Records of topic live of no known form.");
  const gaps = metrics.counter("live_gap_total", "Times that records of topic live were gone before read.");
  const take = livePart(options);
  const reseed = new LiveReseed(options);
  let next: number | null = null;
  const records = (batch: readonly LogRecord[]) => {
    for (const record of batch) {
      const { offset } = record;
      if (next !== null && offset > next) {
        gaps.add(1);
        log.warn({ topic: "live", next, offset }, "live_gap");
        reseed.start();
      }
      next = offset + 1;
      try {
        take(record);
      } catch (err) {
        unreadable.add(1);
        log.error({ topic: "live", offset, err }, "live_unreadable");
      }
    }
  };
  const tail = startTail({ ...options, topic: "live", from: 0, records });
  return {
    health: () => tail.health(),
    stop: async () => {
      await tail.stop();
      await reseed.stop();
    },
  };
};
