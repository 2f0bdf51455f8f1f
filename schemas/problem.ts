import { z } from "zod";

/** Every error the API can answer with: one table, never reused. `type` is `/problems/<code>` of the service. */
export const PROBLEMS = {
  validation_failed: { status: 400, title: "The request is not valid" },
  unauthorized: { status: 401, title: "A valid API key is needed" },
  forbidden: { status: 403, title: "Whoever asks may not do this" },
  second_factor_required: { status: 403, title: "A second factor has to be set up first" },
  proof_required: { status: 403, title: "Say once more who you are first" },
  not_found: { status: 404, title: "There is no such resource" },
  method_not_allowed: { status: 405, title: "The resource does not know this method" },
  conflict: { status: 409, title: "The request contradicts the present state" },
  idempotency_in_flight: { status: 409, title: "A request with this Idempotency-Key is still running" },
  precondition_failed: { status: 412, title: "The resource has changed meanwhile" },
  payload_too_large: { status: 413, title: "The request is too large" },
  unsupported_media_type: { status: 415, title: "The body's media type is not supported" },
  expectation_failed: { status: 417, title: "The expectation of the request cannot be met" },
  idempotency_mismatch: { status: 422, title: "The Idempotency-Key was used with another request" },
  batch_refused: { status: 422, title: "An operation of the atomic batch is not possible: nothing was done" },
  rate_limited: { status: 429, title: "Too many requests" },
  internal: { status: 500, title: "Something broke on our side" },
  pipeline_unavailable: { status: 503, title: "The pipeline did not answer in time" },
  storage_unavailable: { status: 503, title: "A storage engine is not available" },
} as const satisfies Record<string, { status: number; title: string }>;
export type ProblemCode = keyof typeof PROBLEMS;

/** RFC 9457 `application/problem+json`. */
export const Problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  code: z.string(),
  detail: z.string(),
  requestId: z.string(),
  errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof Problem>;
