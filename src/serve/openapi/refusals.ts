import { PROBLEMS, type ProblemCode } from "../../../schemas/problem.ts";
import type { Access } from "./access.ts";
import { TRACE } from "./answers.ts";
import type { Operation } from "./operations/operation.ts";
import type { Described } from "./raw.ts";
import { changesItem, isRepeatable } from "./request-headers.ts";

const ALWAYS: readonly ProblemCode[] = ["internal"];
const WITH_KEY: readonly ProblemCode[] = [
  "unauthorized",
  "forbidden",
  "second_factor_required",
  "rate_limited",
  "storage_unavailable",
];
const WITH_BODY: readonly ProblemCode[] = [
  "validation_failed",
  "payload_too_large",
  "unsupported_media_type",
];
const WITH_IDEMPOTENCY: readonly ProblemCode[] = ["idempotency_in_flight", "idempotency_mismatch"];

/** Every error that a route may answer. */
export const codesOf = (
  method: string,
  path: string,
  access: Access,
  operation: Operation,
): ProblemCode[] => {
  const hasKey = access !== "public";
  return [
    ...new Set([
      ...ALWAYS,
      ...(hasKey ? WITH_KEY : []),
      // Whoever sends a body where none is asked for is told when it is a bad one.
      ...(method === "get" ? [] : WITH_BODY),
      // What a route does not name is refused, too.
      ...(path.startsWith("/v1/") ? (["validation_failed"] as const) : []),
      ...(path.includes("{") ? (["not_found"] as const) : []),
      ...(isRepeatable(method, operation) ? WITH_IDEMPOTENCY : []),
      ...(changesItem(method, path) ? (["precondition_failed"] as const) : []),
      ...(method === "post" || path.includes("/test") ? (["pipeline_unavailable"] as const) : []),
      ...(operation.errors ?? []),
    ]),
  ];
};

const problemExample = (code: ProblemCode) => ({
  value: {
    type: `/problems/${code}`,
    title: PROBLEMS[code].title,
    status: PROBLEMS[code].status,
    code,
    detail: `${PROBLEMS[code].title}.`,
    requestId: "req_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  },
});

/** One answer for each status, with an example of each code that may come with it. */
export const refusals = (codes: readonly ProblemCode[]): Described =>
  Object.fromEntries(
    [...Map.groupBy(codes, (code) => PROBLEMS[code].status)].map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(" "),
        headers: TRACE,
        content: {
          "application/problem+json": {
            schema: { $ref: "#/components/schemas/Problem" },
            examples: Object.fromEntries(ofStatus.map((code) => [code, problemExample(code)])),
          },
        },
      },
    ]),
  );
