import { PROBLEMS, type Problem, type ProblemCode } from "../../schemas/problem.ts";

/** Where in the request a mistake is (`condition.value`, `limit`; empty for the whole), and what it is. */
export interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

/** Thrown anywhere in a request to answer it with a problem. `detail` is shown to the caller. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: readonly FieldProblem[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail: string,
    more: {
      errors?: readonly FieldProblem[];
      headers?: Readonly<Record<string, string>>;
      cause?: unknown;
    } = {},
  ) {
    super(`${code}: ${detail}`, { cause: more.cause });
    this.code = code;
    this.detail = detail;
    this.errors = more.errors;
    this.headers = more.headers ?? {};
  }
}

export const validationFailed = (errors: readonly FieldProblem[]): ProblemError => {
  const [first] = errors;
  const detail = first === undefined ? "the request is not valid" : `${first.path} ${first.message}`.trim();
  return new ProblemError("validation_failed", detail, { errors });
};

/** `what` came too often; `waitMs` until the next is taken. */
export const tooMany = (what: string, waitMs: number): ProblemError =>
  new ProblemError("rate_limited", `too many ${what}`, {
    headers: { "Retry-After": String(Math.max(1, Math.ceil(waitMs / 1_000))) },
  });

export const notFound = (what: string): ProblemError => new ProblemError("not_found", `there is no ${what}`);

/** The body of an answer after RFC 9457. */
export const problemBody = (problem: ProblemError, requestId: string): Problem => {
  const { status, title } = PROBLEMS[problem.code];
  return {
    type: `/problems/${problem.code}`,
    title,
    status,
    code: problem.code,
    detail: problem.detail,
    requestId,
    ...(problem.errors === undefined ? {} : { errors: [...problem.errors] }),
  };
};
