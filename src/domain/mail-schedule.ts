const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long after a failed attempt the next one comes: a server that is started again is soon there. */
const DELAYS_MS: readonly number[] = [
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
];
/** Every few hours from then on, as RFC 5321, section 4.5.4.1, has it, until what the mail says holds no longer. */
const AT_LAST_MS = 3 * HOUR_MS;
const JITTER = 0.2;

/** Milliseconds until the next attempt after `failed` (1 and up) have failed, ±20 % (`random` in [0, 1)). */
export const mailRetryMs = (failed: number, random: number): number =>
  Math.round((DELAYS_MS[failed - 1] ?? AT_LAST_MS) * (1 - JITTER + 2 * JITTER * random));
