import type { AttemptFailure } from "../domain/webhooks/outcome.ts";

/** Why an attempt got no status. The message is the detail: a clause for the owner of the endpoint, without secrets. */
export class AttemptError extends Error {
  override readonly name = "AttemptError";
  readonly failure: AttemptFailure;

  constructor(failure: AttemptFailure, detail: string) {
    super(detail);
    this.failure = failure;
  }
}

/** The code of a system's, TLS's or undici's error; empty where there is none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
