const SECONDS_MAX = 3_600;

/**
 * Milliseconds that a `Retry-After` header asks to wait (RFC 9110, 10.2.3: seconds, or a date), at most an hour; null
 * where there is none that can be understood.
 */
export const retryAfterMs = (header: string | undefined, nowMs: number): number | null => {
  if (header === undefined) return null;
  const text = header.trim();
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : (Date.parse(text) - nowMs) / 1000;
  return Number.isNaN(seconds) ? null : Math.min(Math.max(0, seconds), SECONDS_MAX) * 1000;
};
