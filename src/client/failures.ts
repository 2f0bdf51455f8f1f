import type { Problem } from "../../schemas/problem.ts";
import type { Readiness } from "../../schemas/service.ts";
import { ADVICE, adviceOnCause } from "./advice.ts";

const isKnown = (code: string): code is keyof typeof ADVICE => Object.hasOwn(ADVICE, code);

/** What the service has refused, or failed to do: RFC 9457's problem as an error, with what to do about it. */
export class ApiError extends Error {
  override readonly name: string = "ApiError";
  readonly status: number;
  /** One of `PROBLEMS` (schemas/problem.ts); `not_ready`; or `unexpected_answer`: what came was no answer of this service. */
  readonly code: string;
  readonly detail: string;
  /** To name when asking; null where no service has answered. */
  readonly requestId: string | null;
  /** The path of each mistake in a request. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** What the one who called can do. */
  readonly advice: string;
  /** The service's wish; null where it has none. */
  readonly retryAfterMs: number | null;

  constructor(
    problem: Pick<Problem, "status" | "code" | "detail"> & Partial<Problem>,
    retryAfterMs: number | null = null,
  ) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`);
    this.status = problem.status;
    this.code = problem.code;
    this.detail = problem.detail;
    this.requestId = problem.requestId ?? null;
    this.errors = problem.errors ?? [];
    this.advice = isKnown(problem.code) ? ADVICE[problem.code] : ADVICE.unexpected_answer;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What `GET /health/ready` says while a part of the service is down. */
export class NotReadyError extends ApiError {
  override readonly name = "NotReadyError";
  /** Each part, also those that are well. */
  readonly parts: Readiness["parts"];

  constructor(status: number, parts: Readiness["parts"]) {
    const down = parts.filter(({ state }) => state === "down");
    const named = down.map(({ name, detail }) => (detail === null ? name : `${name}: ${detail}`));
    super({ status, code: "not_ready", detail: `the service is not ready: ${named.join("; ")}` });
    this.parts = parts;
  }
}

/** Nobody has answered: whether the request was done is not known. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
  /** Without path and query. */
  readonly origin: string;
  readonly advice: string;

  constructor(url: string, cause: unknown) {
    const origin = URL.canParse(url) ? new URL(url).origin : url;
    const { reason, advice } = adviceOnCause(cause);
    super(`${origin} cannot be reached: ${reason}`, { cause });
    this.origin = origin;
    this.advice = advice;
  }
}

const unexpected = ({ status, headers }: Response): ApiError => {
  const type = headers.get("content-type") ?? "nothing";
  const detail = `what answered (${status}, ${type}) is not this service`;
  return new ApiError({ status, code: "unexpected_answer", detail });
};

/** A page that is open longer than its service has the version may not find the validator any more. */
const unread = (status: number, retryAfterMs: number | null): ApiError => {
  const detail = `the service refused (${status}); it may have a new version: reload the page to read why`;
  return new ApiError({ status, code: "unexpected_answer", detail }, retryAfterMs);
};

/** Throws what an answer tells of a failure; a web page is no answer either, whatever its status. */
export const refuse = async (response: Response, retryAfterMs: number | null): Promise<void> => {
  const type = response.headers.get("content-type") ?? "";
  if (response.ok && !type.startsWith("text/html")) return;
  const body: unknown = await response.json().catch(() => null);
  // The validator comes with the first refusal: a page would wait for it before it shows anything.
  const readers = await import("./refusals.ts").catch(() => null);
  if (readers === null) throw unread(response.status, retryAfterMs);
  const problem = readers.readProblem(body);
  if (problem !== undefined) throw new ApiError(problem, retryAfterMs);
  const readiness = readers.readReadiness(body);
  throw readiness === undefined ? unexpected(response) : new NotReadyError(response.status, readiness.parts);
};
