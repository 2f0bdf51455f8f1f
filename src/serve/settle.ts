import type { Changed } from "../ports/control-store.ts";
import { notFound, ProblemError, validationFailed } from "./problem.ts";

/** The relay, as far as the answer to a change needs it. */
interface RelayProgress {
  nudge(): void;
  reached(position: number, timeoutMs: number): Promise<boolean>;
}

const refusal = (what: string, changed: Extract<Changed<unknown>, { ok: false }>): ProblemError => {
  if (changed.reason === "not_found") return notFound(what);
  const errors = [{ path: changed.path, message: changed.message }];
  if (changed.reason === "invalid") return validationFailed(errors);
  return new ProblemError("conflict", `${changed.path} ${changed.message}`.trim(), { errors });
};

/**
 * Gives what a change made once the log has it, so that what the caller sends next is evaluated under it; after
 * `timeoutMs` at the latest, for the change itself is durable. A refused change becomes a problem; `what` names it.
 */
export const settler =
  (relay: RelayProgress, timeoutMs: number) =>
  async <T>(what: string, changed: Changed<T>): Promise<T> => {
    if (!changed.ok) throw refusal(what, changed);
    relay.nudge();
    await relay.reached(changed.outbox, timeoutMs);
    return changed.value;
  };
export type Settle = ReturnType<typeof settler>;
