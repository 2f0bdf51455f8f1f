const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long after a failed attempt the next one comes, by how many have failed. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
];
/** The first attempt and its retries. */
export const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1;
export const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;
/** An endpoint with no success for so long since its first failure is disabled. */
export const DISABLE_AFTER_MS = 120 * HOUR_MS;
/** How long finished deliveries are kept, unless the installation says otherwise. */
export const HISTORY_DAYS = 30;
/** So that what failed together does not come back together. */
const JITTER = 0.2;

/**
 * Milliseconds until the next attempt after `failed` (1 and up) have failed, ±20 % (`random` in [0, 1)), and not before
 * the receiver's own `Retry-After` of at most a day; null when there is to be no other.
 */
export const retryDelayMs = (failed: number, random: number, retryAfterMs: number | null): number | null => {
  const delayMs = RETRY_DELAYS_MS[failed - 1];
  if (delayMs === undefined) return null;
  const jittered = Math.round(delayMs * (1 - JITTER + 2 * JITTER * random));
  return Math.max(jittered, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
};
