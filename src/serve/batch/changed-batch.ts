import { z } from "zod";
import { BatchResult } from "../../../schemas/batch.ts";
import { RESULT_BYTES_MAX } from "../kept-answer.ts";

/** How far a batch is once its changes are made: all but its reports. `outbox`: what the log must have for them. */
export const ChangedBatch = z.object({ outbox: z.number(), results: z.array(BatchResult) });
export type ChangedBatch = z.infer<typeof ChangedBatch>;

const shortened = ({ index, status, error }: BatchResult): BatchResult =>
  error === undefined
    ? { index, status }
    : { index, status, error: { code: error.code, detail: error.detail } };

/** For a repetition; of a long batch only what became of each operation, not what it made. */
export const textOfChanged = (batch: ChangedBatch): string => {
  const text = JSON.stringify(batch);
  if (Buffer.byteLength(text) <= RESULT_BYTES_MAX) return text;
  return JSON.stringify({ ...batch, results: batch.results.map(shortened) });
};

export const changedOfText = (text: string): ChangedBatch => ChangedBatch.parse(JSON.parse(text));
