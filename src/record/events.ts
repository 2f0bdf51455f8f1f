import type { LogRecord } from "../domain/log-record.ts";
import { readEvent } from "../domain/records.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { EventRow, TimeSeries } from "../ports/time-series.ts";
import type { Content, Extract } from "./content.ts";
import type { RecordMetrics } from "./metrics.ts";
import type { RecordSettings } from "./settings.ts";

/** An event parsed weighs some times what its JSON does. */
const WEIGHT = 4;
const BATCH_BYTES = 8 * 1024 * 1024;

const rowOf = (record: LogRecord): EventRow => ({ position: record.offset, ...readEvent(record) });

/** Events by their place in the topic. A record that is none is counted and left out: it will never be one. */
export const eventsContent = (
  timeSeries: TimeSeries,
  metrics: RecordMetrics,
  settings: RecordSettings,
  log: Logger,
): Content<EventRow> => ({
  topic: "events",
  turns: {
    lingerMs: settings.eventsLingerMs,
    // One partition, so nobody is waited for.
    apartMs: 0,
    againMs: settings.eventsAgainMs,
    lingerMaxMs: settings.eventsAgainMs,
  },
  batchBytes: BATCH_BYTES,
  extract: (record): Extract<EventRow> => {
    try {
      return { rows: [rowOf(record)], count: 1, bytes: record.value.length * WEIGHT };
    } catch {
      metrics.unreadableEvents.add(1);
      log.warn({ offset: record.offset }, "record_unreadable_event");
      return { rows: [], count: 0, bytes: 0 };
    }
  },
  insert: (token, rows, signal) => timeSeries.insertEvents(token, rows, signal),
});
