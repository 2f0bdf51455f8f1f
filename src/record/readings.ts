import { isBlock } from "../domain/log-record.ts";
import { ColumnReader, READING_COLUMNS_BYTES, type ReadingColumns } from "../domain/reading-columns.ts";
import { SignalIds } from "../domain/signal-ids.ts";
import type { TimeSeries } from "../ports/time-series.ts";
import type { Content, Extract } from "./content.ts";
import type { RecordMetrics } from "./metrics.ts";
import type { RecordSettings } from "./settings.ts";

const NOTHING: Extract<ReadingColumns> = { rows: [], count: 0, bytes: 0 };
/**
 * After so many ids they are numbered anew, as they may be anybody's invention: twice as many as there are signals, where
 * nobody allows more. Numbered anew amid signals that come in turn, a million of them go in at a third of the speed.
 * Rows that wait keep theirs alive.
 */
const IDS_MAX = 2_000_000;
const ID_BYTES = 80;

/**
 * Blocks of readings, as columns: what a line holds is read once (0.1 µs), and the engine, which would take five times
 * as long for its text, copies numbers. Lines that the grammar refuses are what evaluation calls dead letters.
 */
export const readingsContent = (
  timeSeries: TimeSeries,
  metrics: RecordMetrics,
  settings: RecordSettings,
): Content<ReadingColumns> => {
  const reader = new ColumnReader((problem) => metrics.invalidLines.add(1, { problem }));
  let ids = new SignalIds();
  return {
    topic: "readings",
    turns: {
      lingerMs: settings.readingsLingerMs,
      apartMs: settings.readingsApartMs,
      againMs: 0,
      lingerMaxMs: settings.readingsLingerMaxMs,
    },
    batchBytes: settings.readingsBatchBytes,
    extract: (record) => {
      if (!isBlock(record)) return NOTHING;
      if (ids.size > IDS_MAX) ids = new SignalIds();
      const known = ids.size;
      const columns = reader.read(record.value, record.appendedAt, ids);
      const count = columns.slots.length;
      const bytes = count * READING_COLUMNS_BYTES + (ids.size - known) * ID_BYTES;
      return { rows: [columns], count, bytes };
    },
    insert: (token, rows, signal) => timeSeries.insertReadings(token, rows, signal),
  };
};
