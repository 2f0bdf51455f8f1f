import type { Changed } from "../ports/control-store.ts";
import { notFound, ProblemError, validationFailed } from "./problem.ts";

/** The relay, as far as the answer to a change needs it. */
interface RelayProgress {
  nudge(): void;
  reached(position: number, timeoutMs: number): Promise<boolean>;
}

/** Why a change was not made; `what` names what was to be changed. */
export const refusal = (what: string, changed: Extract<Changed<unknown>, { ok: false }>): ProblemError => {
  if (changed.reason === "not_found") return notFound(what);
  if (changed.reason === "precondition_failed")
    return new ProblemError("precondition_failed", `the ${what} is at revision ${changed.revision} by now`);
  const errors = [{ path: changed.path, message: changed.message }];
  if (changed.reason === "invalid") return validationFailed(errors);
  return new ProblemError("conflict", `${changed.path} ${changed.message}`.trim(), { errors });
};

/** What a change made; a refused one becomes a problem, in which `what` names the thing. */
export const made = <T>(
  what: string,
  changed: Changed<T>,
): { readonly value: T; readonly outbox: number } => {
  if (!changed.ok) throw refusal(what, changed);
  return changed;
};

/**
 * Waits until the log has a change, so that what the caller sends next is evaluated under it; for `timeoutMs` at the
 * most, for the change itself is durable.
 */
export const settler = (relay: RelayProgress, timeoutMs: number) => {
  const settled = async (outbox: number): Promise<void> => {
    relay.nudge();
    await relay.reached(outbox, timeoutMs);
  };
  return {
    settled,
    /** As `made`, once the log has it. */
    settle: async <T>(what: string, changed: Changed<T>): Promise<T> => {
      const { value, outbox } = made(what, changed);
      await settled(outbox);
      return value;
    },
  };
};
export type Settle = ReturnType<typeof settler>["settle"];
