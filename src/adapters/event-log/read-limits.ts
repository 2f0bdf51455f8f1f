import type { ConsumeOptions } from "../../ports/event-log.ts";

/** A batch is closed at whichever comes first; one record is given however large it is. */
export interface ReadLimits {
  readonly bytes: number;
  readonly records: number;
}
export const BATCH_BYTES = 2 ** 20;
export const BATCH_RECORDS = 1_000;
export const DEFAULT_LIMITS: ReadLimits = { bytes: BATCH_BYTES, records: BATCH_RECORDS };
export const limitsOf = ({ batchBytes, batchRecords }: ConsumeOptions): ReadLimits => ({
  bytes: batchBytes ?? BATCH_BYTES,
  records: batchRecords ?? BATCH_RECORDS,
});
