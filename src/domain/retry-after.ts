const HOUR_MS = 3_600_000;

/** The three forms of HTTP (RFC 9110, 5.6.7), the last of which says no zone and means UTC; and that of RFC 3339. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .*\d{1,2}:\d{2}:\d{2}( GMT| \d{4})$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Unix milliseconds. `Date.parse` alone makes a time of nearly anything with a number in it. */
const dateOf = (text: string): number => {
  if (TIMESTAMP.test(text)) return Date.parse(text);
  if (!HTTP_DATE.test(text)) return Number.NaN;
  return Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
};

/**
 * Milliseconds that a `Retry-After` header asks to wait (RFC 9110, 10.2.3: seconds, or a date), at most `maxMs`, an hour
 * unless given; null where there is none that can be understood.
 */
export const retryAfterMs = (header: string | undefined, nowMs: number, maxMs = HOUR_MS): number | null => {
  if (header === undefined) return null;
  const text = header.trim();
  const askedMs = /^\d+$/.test(text) ? Number(text) * 1000 : dateOf(text) - nowMs;
  return Number.isNaN(askedMs) ? null : Math.min(Math.max(0, askedMs), maxMs);
};
