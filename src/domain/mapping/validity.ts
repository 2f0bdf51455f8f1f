import type { RejectionReason } from "../../../schemas/source.ts";
import { isStrength, READING_FUTURE_MAX_MS, READING_TIME_MIN_MS } from "../reading-line.ts";

const DAY_MS = 86_400_000;

/** The oldest time (Unix ms) that is taken: raw readings older than their retention would be deleted at once. */
export const oldestReadingMs = (nowMs: number, retentionRawDays: number | null): number =>
  Math.max(READING_TIME_MIN_MS, retentionRawDays === null ? 0 : nowMs - retentionRawDays * DAY_MS);

/** Why a mapped reading cannot be taken; null if it can. Times are Unix ms, strength dBm. */
export const readingProblem = (
  atMs: number,
  strength: number,
  nowMs: number,
  oldestMs: number,
): RejectionReason | null => {
  if (!isStrength(strength)) return "strength_out_of_range";
  if (atMs < oldestMs) return "time_too_old";
  return atMs > nowMs + READING_FUTURE_MAX_MS ? "time_in_future" : null;
};
