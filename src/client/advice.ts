import type { ProblemCode } from "../../schemas/problem.ts";

/** What the one who called can do about each problem. */
export const ADVICE = {
  validation_failed: "Correct what is named, and send it again.",
  expectation_failed: "Leave out the header Expect.",
  second_factor_required: "Set up a second factor in your security settings.",
  proof_required: "Say once more who you are, then send it again.",
  unauthorized: "Check the API key: its end, whether it was revoked, and whether it is one of this service.",
  forbidden: "Use a key that has the scope.",
  not_found: "Check the id; what belongs to another account cannot be seen either.",
  method_not_allowed: "Check the address and the method.",
  conflict: "Look at what is there now, and decide anew.",
  idempotency_in_flight: "Wait for the first request, then send it again under the same key.",
  precondition_failed: "Read it again, and apply the change to what it is now.",
  payload_too_large: "Send less at once.",
  unsupported_media_type: "Send JSON, with its Content-Type.",
  idempotency_mismatch: "Use a new Idempotency-Key for another request.",
  batch_refused: "Correct the operations that are named, and send all of them again.",
  rate_limited: "Send less often, or raise RATE_LIMIT_REQUESTS of the service.",
  internal: "Look for the request id in the log of the service.",
  pipeline_unavailable: "Try again soon; GET /health/ready says which part is the cause.",
  storage_unavailable: "Try again soon; GET /health/ready says which part is the cause.",
  not_ready: "See to the parts that are named; those that only start are ready soon.",
  unexpected_answer: "Check the address: it must be that of the API, with no path behind it.",
} as const satisfies Record<ProblemCode | "not_ready" | "unexpected_answer", string>;

interface CauseAdvice {
  readonly reason: string;
  readonly advice: string;
}

const NO_PORT: CauseAdvice = {
  reason: "its port is none for HTTP, and is never called (https://fetch.spec.whatwg.org/#port-blocking)",
  advice: "Check the port.",
};
const CAUSES: readonly (readonly [RegExp, CauseAdvice])[] = [
  [/bad port/, NO_PORT],
  [/ECONNREFUSED/, { reason: "nothing listens there", advice: "Start the service, or check the address." }],
  [
    /ENOTFOUND|EAI_AGAIN/,
    { reason: "its name is not known", advice: "Check the address, and the network's DNS." },
  ],
  [
    /SELF_SIGNED|UNABLE_TO_|CERT_|ALTNAME/,
    {
      reason: "its certificate is not trusted",
      advice: "Name its authority in NODE_EXTRA_CA_CERTS, or check the address against the certificate.",
    },
  ],
  [
    /ERR_SSL|EPROTO|HPE_/,
    { reason: "it does not speak this protocol", advice: "Check whether it is https:// or http://." },
  ],
  [
    /TimeoutError|ETIMEDOUT|UND_ERR_\w+_TIMEOUT/,
    { reason: "it did not answer in time", advice: "Check the network, or whether the service is busy." },
  ],
  [
    /ECONNRESET|UND_ERR_SOCKET|EPIPE/,
    {
      reason: "it closed the connection",
      advice: "Check whether it is https:// or http://, and whether the service is starting anew.",
    },
  ],
];

/** Names, codes and words down the chain of causes; an address with several IPs has an error of each. */
const wordsOf = (cause: unknown, depth = 0): string => {
  if (!(cause instanceof Error) || depth > 5) return "";
  const code = "code" in cause ? String(cause.code) : "";
  const each = cause instanceof AggregateError ? cause.errors : [];
  return [
    cause.name,
    code,
    cause.message,
    ...[cause.cause, ...each].map((one) => wordsOf(one, depth + 1)),
  ].join(" ");
};

/** `fetch` itself says no more than that it failed. */
const deepest = (cause: unknown, depth = 0): string => {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause === undefined || depth > 5 ? cause.message : deepest(cause.cause, depth + 1);
};

/** Why nobody has answered, of the error that `fetch` has thrown. */
export const adviceOnCause = (cause: unknown): CauseAdvice => {
  const words = wordsOf(cause);
  const known = CAUSES.find(([pattern]) => pattern.test(words));
  return (
    known?.[1] ?? {
      reason: deepest(cause),
      advice: "Check the address and the network.",
    }
  );
};
