import type { LogRecord } from "../../domain/log-record.ts";
import type { ReadLimits } from "../event-log/read-limits.ts";

/** How many of `records`, from index `start` on, make a batch: at least one if there is any. */
export const batchLength = (records: readonly LogRecord[], start: number, limits: ReadLimits): number => {
  let bytes = 0;
  let count = 0;
  for (let i = start; i < records.length && count < limits.records; i++) {
    bytes += records[i]?.value.length ?? 0;
    if (count > 0 && bytes > limits.bytes) break;
    count++;
  }
  return count;
};

/** `records` in batches. */
export function* slices(records: readonly LogRecord[], limits: ReadLimits): Generator<readonly LogRecord[]> {
  for (let at = 0; at < records.length; ) {
    const count = batchLength(records, at, limits);
    yield records.slice(at, at + count);
    at += count;
  }
}
