import { serverClock } from "../api/server-clock.ts";
import { zone } from "./preferences.ts";

const SECOND_MS = 1_000;
const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", SECOND_MS],
] as const;

/** How old something is, in its largest unit: `12 s`. */
export const ageText = (atMs: number, nowMs = serverClock.now()): string => {
  const ms = Math.max(0, nowMs - atMs);
  for (const [unit, unitMs] of UNITS) if (ms >= unitMs) return `${Math.floor(ms / unitMs)} ${unit}`;
  return "now";
};

/** What takes the browser long to make: once, and not before it is wanted. */
const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

const STYLES = { dateStyle: "medium", timeStyle: "medium" } as const;
const times = {
  local: once(() => new Intl.DateTimeFormat(undefined, STYLES)),
  utc: once(() => new Intl.DateTimeFormat(undefined, { ...STYLES, timeZone: "UTC" })),
};
/** By `Intl`, with the clock changes of the reader's zone. */
export const timeText = (atMs: number): string => times[zone.get()]().format(atMs);

/** With the minus that the service's own sentences have, and not a hyphen. */
const withMinus = (text: string): string => text.replace("-", "−");
/** What rounds to nothing has no sign. */
export const decimalText = (value: number, places: number): string =>
  withMinus((Number(value.toFixed(places)) + 0).toFixed(places));
export const dbmText = (strength: number | null): string =>
  strength === null ? "–" : `${decimalText(strength, 1)} dBm`;
export const qualityText = (quality: number | null): string =>
  quality === null ? "–" : `${Math.round(quality * 100)} %`;
const whole = once(() => new Intl.NumberFormat());
export const numberText = (count: number): string => withMinus(whole().format(count));
