import { z } from "zod";
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, Quality, Timestamp, TimestampInput } from "./common.ts";

export const ReadingStep = z.enum(["raw", "1m", "5m", "1h", "1d"]);
export type ReadingStep = z.infer<typeof ReadingStep>;

export const ReadingsQuery = z.strictObject({
  from: TimestampInput.optional(),
  to: TimestampInput.optional(),
  step: z.union([ReadingStep, z.literal("auto")]).default("auto"),
  limit: z.coerce.number().int().min(1).max(LIST_LIMIT_MAX).default(LIST_LIMIT_DEFAULT),
  cursor: z.string().min(1).max(2000).optional(),
});
export type ReadingsQuery = z.infer<typeof ReadingsQuery>;

export const Reading = z.strictObject({ at: Timestamp, strength: z.number(), quality: Quality });
export const ReadingBucket = z.strictObject({
  at: Timestamp,
  count: z.number().int(),
  min: z.number(),
  max: z.number(),
  mean: z.number(),
});
export const ReadingsAnswer = z.union([
  z.strictObject({ step: z.literal("raw"), readings: z.array(Reading), nextCursor: z.string().nullable() }),
  z.strictObject({
    step: z.enum(["1m", "5m", "1h", "1d"]),
    buckets: z.array(ReadingBucket),
    nextCursor: z.string().nullable(),
  }),
]);
export type ReadingsAnswer = z.infer<typeof ReadingsAnswer>;
