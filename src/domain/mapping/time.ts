import type { JSONValue } from "json-p3";
import { numberOf } from "./value.ts";

/** The number that `count` digits at `at` make; NaN if one is no digit. Read by code: a regular expression costs ten times more. */
const digits = (text: string, at: number, count: number): number => {
  let value = 0;
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
};

const is = (text: string, at: number, characters: string): boolean => {
  const character = text[at];
  return character !== undefined && characters.includes(character);
};

const daysIn = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
};

/** Milliseconds that `Z`, `+hh:mm` or `-hh:mm` at the end of the text stand ahead of UTC; NaN for all else. */
const offsetMs = (text: string, at: number): number => {
  if (is(text, at, "Zz")) return text.length === at + 1 ? 0 : Number.NaN;
  if (!is(text, at, "+-") || !is(text, at + 3, ":") || text.length !== at + 6) return Number.NaN;
  const [hours, minutes] = [digits(text, at + 1, 2), digits(text, at + 4, 2)];
  if (hours > 23 || minutes > 59) return Number.NaN;
  return (hours * 60 + minutes) * (text[at] === "-" ? -60_000 : 60_000);
};

const DATE_END = 10;
const TIME_END = 19;

const dateMs = (text: string): number => {
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)];
  const exists = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  return exists && text[4] === "-" && text[7] === "-" ? Date.UTC(year, month - 1, day) : Number.NaN;
};

const clockMs = (text: string): number => {
  const [hour, minute, second] = [digits(text, 11, 2), digits(text, 14, 2), digits(text, 17, 2)];
  if (!is(text, DATE_END, "Tt ") || text[13] !== ":" || text[16] !== ":") return Number.NaN;
  // A leap second (60) is taken for the first instant after it, as Unix time has none.
  return hour <= 23 && minute <= 59 && second <= 60
    ? ((hour * 60 + minute) * 60 + second) * 1000
    : Number.NaN;
};

/** RFC 3339, 5.6: `T` may be small or a space, the fraction has any length, the offset is needed. */
const fromText = (text: string): number => {
  let end = TIME_END;
  let millis = 0;
  if (text[end] === ".") {
    const from = end + 1;
    do end++;
    while (digits(text, end, 1) >= 0);
    if (end === from) return Number.NaN;
    millis = digits(text, from, Math.min(3, end - from)) * 10 ** Math.max(0, 3 - (end - from));
  }
  return dateMs(text) + clockMs(text) + millis - offsetMs(text, end);
};

const TEXT_CHARACTERS_MAX = 64;
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
  return is(value, 4, "-") ? fromText(value) : fromEpoch(numberOf(value));
};
