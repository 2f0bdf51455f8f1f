import { z } from "zod";
import { AnalyzeAnswer, AnalyzeFields, checkAnalyze } from "./analysis.ts";
import { SignalId, StrengthDbm, TimestampInput } from "./common.ts";
import { Signal, SignalCreate, SignalPatch } from "./signal.ts";

export const BATCH_OPERATIONS_MAX = 10_000;
export const BATCH_BODY_BYTES_MAX = 10 * 1024 * 1024;

const ReportOperation = z
  .strictObject({
    operation: z.literal("report"),
    signalId: SignalId.optional(),
    externalId: z.string().min(1).max(200).optional(),
    strength: StrengthDbm,
    at: TimestampInput.optional().describe("Default: now."),
  })
  .refine(({ signalId, externalId }) => (signalId === undefined) !== (externalId === undefined), {
    message: "name either signalId or externalId",
    path: ["signalId"],
  });

/** One operation of a batch; its fields are those of the call it stands for. */
export const BatchOperation = z.discriminatedUnion(
  "operation",
  [
    SignalCreate.safeExtend({ operation: z.literal("create") }),
    SignalPatch.safeExtend({ operation: z.literal("update"), signalId: SignalId }).refine(
      (update) => Object.keys(update).length > 2,
      "names no field to change",
    ),
    z.strictObject({ operation: z.literal("delete"), signalId: SignalId }),
    ReportOperation,
    AnalyzeFields.extend({ operation: z.literal("analyze") }).superRefine(checkAnalyze),
  ],
  { error: ({ code }) => (code === "invalid_union" ? OPERATION_WORDS : undefined) },
);
const OPERATION_WORDS = "must be create, update, delete, report or analyze";
export type BatchOperation = z.infer<typeof BatchOperation>;

/** Each operation is checked by itself, so that a bad one spoils no other: the document says what it should be. */
export const BatchRequest = z.strictObject({
  operations: z
    .array(z.unknown().meta({ $ref: "#/components/schemas/BatchOperation" }))
    .min(1)
    .max(BATCH_OPERATIONS_MAX)
    .describe("Each as BatchOperation says; one that is not gets an error of its own."),
  atomic: z
    .boolean()
    .default(false)
    .describe("All or nothing: a single bad operation refuses the batch with 422 and every error."),
});
export type BatchRequest = z.infer<typeof BatchRequest>;

/** For `application/x-ndjson`, an operation a line, which has no room for it. */
export const BatchQuery = z.strictObject({
  atomic: z
    .enum(["true", "false"])
    .optional()
    .describe("As the field `atomic` of a JSON body, for application/x-ndjson."),
});

export const BatchError = z.strictObject({
  code: z.string(),
  detail: z.string(),
  errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
});
export type BatchError = z.infer<typeof BatchError>;

export const BatchResult = z.strictObject({
  index: z.number().int().min(0).describe("Of the operation in the batch, from 0."),
  status: z.enum(["ok", "error"]),
  signal: Signal.optional().describe("Of create and update: the signal as it is now."),
  accepted: z.literal(true).optional().describe("Of report: the reading is durable."),
  analysis: AnalyzeAnswer.optional().describe("Of analyze: what POST /v1/signals/analyze answers."),
  error: BatchError.optional(),
});
export type BatchResult = z.infer<typeof BatchResult>;

export const BatchAnswer = z.strictObject({
  results: z.array(BatchResult),
  summary: z.strictObject({ ok: z.number().int(), failed: z.number().int() }),
});
export type BatchAnswer = z.infer<typeof BatchAnswer>;
