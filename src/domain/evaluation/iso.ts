const DAY_MS = 86_400_000;
/** A power of two. */
const DAYS_KEPT = 64;

const days = new Float64Array(DAYS_KEPT).fill(Number.NaN);
const dayTexts: string[] = [];

const dayText = (day: number): string => {
  const at = day & (DAYS_KEPT - 1);
  if (days[at] !== day) {
    dayTexts[at] = new Date(day * DAY_MS).toISOString().slice(0, 11);
    days[at] = day;
  }
  return dayTexts[at] ?? "";
};

const two = (value: number): string => (value < 10 ? `0${value}` : `${value}`);

/**
 * Unix milliseconds as `Date.toISOString` writes them, from 1970 to 9999: an event has five times or more in it, and
 * that function took a fifth of all the time of telling one. What it keeps are words for days, never a result.
 */
export const iso = (timeMs: number): string => {
  const day = Math.floor(timeMs / DAY_MS);
  const ofDayMs = Math.trunc(timeMs - day * DAY_MS);
  const ofDay = Math.floor(ofDayMs / 1000);
  const ms = ofDayMs - ofDay * 1000;
  const clock = `${two(Math.floor(ofDay / 3600))}:${two(Math.floor(ofDay / 60) % 60)}:${two(ofDay % 60)}`;
  return `${dayText(day)}${clock}.${ms < 100 ? "0" : ""}${two(ms)}Z`;
};
