const HOUR_MS = 3_600_000;

/**
 * Milliseconds that a `Retry-After` header asks to wait (RFC 9110, 10.2.3: seconds, or a date), at most `maxMs`, an hour
 * unless given; null where there is none that can be understood.
 */
export const retryAfterMs = (header: string | undefined, nowMs: number, maxMs = HOUR_MS): number | null => {
  if (header === undefined) return null;
  const text = header.trim();
  const askedMs = /^\d{1,10}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(askedMs) ? null : Math.min(Math.max(0, askedMs), maxMs);
};
