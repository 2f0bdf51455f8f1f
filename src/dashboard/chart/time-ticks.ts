import type { Zone } from "../app/preferences.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const STEPS_MS = [
  1_000,
  5_000,
  15_000,
  30_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
  2 * DAY_MS,
  4 * DAY_MS,
  7 * DAY_MS,
  15 * DAY_MS,
];
const TICKS_MAX = 8;
/** So that labels beside each other do not touch. */
const TICK_PX = 85;
/** How many fit. */
export const ticksOn = (widthPx: number): number =>
  Math.max(1, Math.min(TICKS_MAX, Math.floor(widthPx / TICK_PX)));

/** How far local time is before UTC at a moment, ms; clock changes included. */
const offsetMs = (atMs: number, zone: Zone): number =>
  zone === "utc" ? 0 : -new Date(atMs).getTimezoneOffset() * MINUTE_MS;

/**
 * Round times between two, Unix ms, so many at the most: such as midnights of the reader's zone. Around a clock change
 * a day is not 24 hours long, so that each time is found by itself.
 */
export const tickTimes = (fromMs: number, toMs: number, zone: Zone, most = TICKS_MAX): number[] => {
  const stepMs = STEPS_MS.find((step) => (toMs - fromMs) / step <= most) ?? 30 * DAY_MS;
  const times: number[] = [];
  const first = Math.ceil((fromMs + offsetMs(fromMs, zone)) / stepMs) * stepMs;
  for (let local = first; times.length <= TICKS_MAX + 1; local += stepMs) {
    // The offset of a moment is known by the moment: guessed by the time before, then put right.
    const guess = local - offsetMs(local, zone);
    const at = local - offsetMs(guess, zone);
    if (at > toMs) break;
    // A clock that is set forward leaves times out.
    if (at + offsetMs(at, zone) !== local) continue;
    if (at >= fromMs && at > (times.at(-1) ?? Number.NEGATIVE_INFINITY)) times.push(at);
  }
  return times;
};

const formats = new Map<string, Intl.DateTimeFormat>();
const formatOf = (key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(undefined, options);
  formats.set(key, made);
  return made;
};

const isMidnight = (atMs: number, zone: Zone): boolean => (atMs + offsetMs(atMs, zone)) % DAY_MS === 0;

/** A time as short as its span allows: of days their date, and of what is between two midnights the hour. */
export const tickText = (atMs: number, spanMs: number, zone: Zone): string => {
  const zoned = zone === "utc" ? { timeZone: "UTC" } : {};
  if (spanMs > 2 * DAY_MS && isMidnight(atMs, zone))
    return formatOf(`day ${zone}`, { month: "short", day: "numeric", ...zoned }).format(atMs);
  const second = spanMs < 10 * MINUTE_MS ? ({ second: "2-digit" } as const) : {};
  return formatOf(`time ${zone} ${"second" in second}`, {
    hour: "2-digit",
    minute: "2-digit",
    ...second,
    ...zoned,
  }).format(atMs);
};
