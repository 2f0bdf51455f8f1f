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

/** By `Intl`, with the clock changes of the reader's zone. */
export const timeText = (atMs: number): string =>
  new Intl.DateTimeFormat(undefined, {
    dateStyle: "medium",
    timeStyle: "medium",
    ...(zone.get() === "utc" ? { timeZone: "UTC" } : {}),
  }).format(atMs);

export const dbmText = (strength: number | null): string =>
  strength === null ? "–" : `${strength.toFixed(1)} dBm`;
export const qualityText = (quality: number | null): string =>
  quality === null ? "–" : `${Math.round(quality * 100)} %`;
const whole = new Intl.NumberFormat();
export const numberText = (count: number): string => whole.format(count);
