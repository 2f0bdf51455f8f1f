import type { JSONValue } from "json-p3";
import { numberOf } from "./value.ts";

/** RFC 3339, 5.6: `T` may be small or a space, the fraction has any length, the offset is needed. */
const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const TEXT_CHARACTERS_MAX = 64;

const isDate = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();

const fromText = (text: string): number => {
  const parts = RFC_3339.exec(text);
  if (parts === null) return Number.NaN;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number);
  // A leap second (60) is taken for the first instant after it, as Unix time has none.
  if (!isDate(year, month, day) || hour > 23 || minute > 59 || second > 60) return Number.NaN;
  const millis = Number((parts[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const [offsetHours, offsetMinutes] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)];
  if (offsetHours > 23 || offsetMinutes > 59) return Number.NaN;
  const offset = (offsetHours * 60 + offsetMinutes) * (parts[8] === "-" ? -60_000 : 60_000);
  return Date.UTC(year, month - 1, day, hour, minute, second, millis) - offset;
};

const SECONDS_BELOW = 1e11;
const MILLIS_BELOW = 1e14;
const MICROS_BELOW = 1e17;

/** Cut, not rounded, to milliseconds. A double holds today's nanoseconds only to 256: they are rounded to µs first. */
const fromEpoch = (epoch: number): number => {
  if (epoch < 0) return Number.NaN;
  if (epoch < SECONDS_BELOW) return Math.floor(Math.round(epoch * 1e6) / 1e3);
  if (epoch < MILLIS_BELOW) return Math.floor(epoch);
  return Math.floor((epoch < MICROS_BELOW ? epoch : Math.round(epoch / 1e3)) / 1e3);
};

/**
 * Unix milliseconds of RFC 3339 text or of an epoch in s, ms, µs or ns, told apart by size (below 1e11 are seconds,
 * below 1e14 milliseconds, below 1e17 microseconds); a number may stand in a string. NaN for all else.
 */
export const timeOf = (value: JSONValue | undefined): number => {
  if (typeof value === "number") return fromEpoch(value);
  if (typeof value !== "string" || value.length > TEXT_CHARACTERS_MAX) return Number.NaN;
  const fromRfc3339 = fromText(value);
  return Number.isNaN(fromRfc3339) ? fromEpoch(numberOf(value)) : fromRfc3339;
};
