const TAB = 9;
const NEWLINE = 10;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/** `sig_` and a ULID. */
export const SIGNAL_ID_LENGTH = 30;

/** Crockford base 32 without I, L, O, U; by character code. */
export const ULID_CHARACTER = new Uint8Array(256);
for (const character of "0123456789ABCDEFGHJKMNPQRSTVWXYZ") ULID_CHARACTER[character.charCodeAt(0)] = 1;

/** 10 to the power of the index, exact. */
export const POWERS = Float64Array.from({ length: 16 }, (_, i) => 10 ** i);

/** Digits whose value fits 32-bit arithmetic. */
const DIGITS_MAX = 9;
/** An instant in milliseconds between 2001 and 2286. */
export const TIME_DIGITS = 13;

/** Past the end of the block there is nothing that an id may hold: no bound has to be checked. */
export const isIdAt = (bytes: Uint8Array, start: number): boolean => {
  if (bytes[start] !== 115 || bytes[start + 1] !== 105 || bytes[start + 2] !== 103) return false;
  if (bytes[start + 3] !== 95 || (bytes[start + 4] ?? 255) > 55) return false;
  let valid = 1;
  for (let i = start + 4; i < start + SIGNAL_ID_LENGTH; i++) valid &= ULID_CHARACTER[bytes[i] ?? 0] ?? 0;
  return valid === 1;
};

/**
 * Thirteen digits, of which the first is no zero, as Unix milliseconds; a negative number for anything else. The caller
 * has looked at what stands behind them.
 */
export const timeAt = (bytes: Uint8Array, from: number): number => {
  if (bytes[from] === ZERO) return -1;
  const high = digitsAt(bytes, from, 6);
  const low = digitsAt(bytes, from + 6, 7);
  return high < 0 || low < 0 ? -1 : high * 10_000_000 + low;
};

const digitsAt = (bytes: Uint8Array, from: number, count: number): number => {
  let value = 0;
  for (let i = from; i < from + count; i++) {
    const digit = (bytes[i] ?? 0) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = (value * 10 + digit) | 0;
  }
  return value;
};

/** What `readPlainLine` found. */
export interface PlainLine {
  atMs: number;
  strength: number;
}

/**
 * Reads a line of the shape that nearly every line has: an id, 13 digits of time, at most 9 of strength, a newline.
 * Gives the offset after the newline, or -1 for any other shape, valid or not: a short way beside the grammar of
 * `reading-line.ts`, in one pass over the bytes (a quarter of the time), never a grammar of its own.
 */
export const readPlainLine = (bytes: Uint8Array, start: number, line: PlainLine): number => {
  const time = start + SIGNAL_ID_LENGTH + 1;
  const afterTime = time + TIME_DIGITS;
  if (bytes[time - 1] !== TAB || bytes[afterTime] !== TAB || !isIdAt(bytes, start)) return -1;
  const atMs = timeAt(bytes, time);
  if (atMs < 0) return -1;
  line.atMs = atMs;
  return strengthAt(bytes, afterTime + 1, NEWLINE, line);
};

/** Reads at most 9 digits of a strength up to a byte; gives the offset behind that, or -1. */
export const strengthAt = (
  bytes: Uint8Array,
  from: number,
  last: number,
  line: { strength: number },
): number => {
  let at = from;
  const negative = bytes[at] === MINUS;
  if (negative) at++;
  const first = at;
  let point = -1;
  let mantissa = 0;
  for (; ; at++) {
    const byte = bytes[at] ?? 0;
    const digit = byte - ZERO;
    if (digit >= 0 && digit <= 9) mantissa = (mantissa * 10 + digit) | 0;
    else if (byte === POINT && point < 0 && at > first) point = at;
    else if (byte === last) break;
    else return -1;
    if (at - first > DIGITS_MAX) return -1;
  }
  const decimals = point < 0 ? 0 : at - point - 1;
  const digits = at - first - (point < 0 ? 0 : 1);
  if (digits === 0 || digits > DIGITS_MAX || (point >= 0 && decimals === 0)) return -1;
  const value = decimals > 0 ? mantissa / (POWERS[decimals] ?? Number.NaN) : mantissa;
  line.strength = negative ? -value : value;
  return at + 1;
};
