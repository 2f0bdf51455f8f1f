import type { Changed, Expected } from "../../ports/control-store.ts";
import { type ControlContext, UniqueViolationError } from "./engine.ts";

type Refused = Extract<Changed<never>, { ok: false }>;

/** `outbox` 0: nothing was changed, so there is nothing to wait for. */
export const done = <T>(value: T, outbox: number): Changed<T> => ({ ok: true, value, outbox });
export const notFound: Refused = { ok: false, reason: "not_found" };
/** Null when the revision is as expected. */
export const unexpected = (revision: number, expected: Expected): Refused | null =>
  expected === null || expected.includes(revision)
    ? null
    : { ok: false, reason: "precondition_failed", revision };
export const conflict = (path: string, message: string): Refused => ({
  ok: false,
  reason: "conflict",
  path,
  message,
});
export const invalid = (path: string, message: string): Refused => ({
  ok: false,
  reason: "invalid",
  path,
  message,
});

/** What a change answers when a unique constraint refused it: the transaction is rolled back by then. */
export const orConflict = async <T>(change: Promise<Changed<T>>, refused: Refused): Promise<Changed<T>> => {
  try {
    return await change;
  } catch (error) {
    if (error instanceof UniqueViolationError) return refused;
    throw error;
  }
};

/** `patch` over `stored`, fields that are undefined left alone. */
export const merged = <T extends object>(stored: T, patch: Readonly<Record<string, unknown>>): T => ({
  ...stored,
  ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)),
});

export const newUlid = (
  { clock, ulids }: Pick<ControlContext, "clock" | "ulids">,
  nowMs = clock.now(),
): string => ulids.next(nowMs);
