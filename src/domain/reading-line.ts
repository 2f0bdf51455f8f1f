import { STRENGTH_MAX_DBM, STRENGTH_MIN_DBM } from "../../schemas/common.ts";
import { POWERS, readPlainLine, SIGNAL_ID_LENGTH, ULID_CHARACTER } from "./plain-line.ts";

export { SIGNAL_ID_LENGTH };

/** Limits of a block: it is closed at whichever comes first. */
export const BLOCK_BYTES_MAX = 256 * 1024;
export const BLOCK_LINES_MAX = 5_000;
export const BLOCK_LINGER_MS = 10;

/** The earliest time a reading may have, 2000-01-01T00:00:00Z, and how far it may lie ahead of its record's append time. */
export const READING_TIME_MIN_MS = 946_684_800_000;
export const READING_FUTURE_MAX_MS = 300_000;
/** A line with its newline is never longer: id 30, time 15, strength 24, separators. */
export const LINE_BYTES_MAX = 96;

export type LineProblem =
  | "line_too_long"
  | "line_not_three_fields"
  | "signal_id_invalid"
  | "time_invalid"
  | "time_out_of_range"
  | "strength_invalid"
  | "strength_out_of_range";

const TAB = 9;
const NEWLINE = 10;
const ZERO = 48;

/** `signalId \t timestampMs \t strength \n`; dBm rounded to four decimals, so that a Float32 keeps every digit written. */
export const readingLine = (signalId: string, atMs: number, strength: number): string =>
  `${signalId}\t${atMs}\t${Number.isInteger(strength) ? strength : Number(strength.toFixed(4))}\n`;

/** Whether a time may be a reading's, given the append time (Unix ms) of the record it is or will be in. */
export const isReadingTime = (atMs: number, appendedAt: number): boolean =>
  atMs >= READING_TIME_MIN_MS && atMs <= appendedAt + READING_FUTURE_MAX_MS;

export const isStrength = (strength: number): boolean =>
  strength >= STRENGTH_MIN_DBM && strength <= STRENGTH_MAX_DBM;

/** The fields of a line that was found valid, as `scanBlock` hands them on. Reused: read it, do not keep it. */
export interface LineView {
  /** Where the line is in the block: bytes [start, end), newline included; the id is the first 30 bytes. */
  start: number;
  end: number;
  /** The line's number within the block, from 0, invalid ones counted. */
  index: number;
  atMs: number;
  strength: number;
}

/** Where the scan of a block stands; a visitor that lets it rest has it end behind the line that is being visited. */
export class BlockScan {
  start = 0;
  index = 0;
  rests = false;
}

/** Receives the lines of a block in order. */
export interface LineVisitor {
  line(block: Uint8Array, view: LineView): void;
  invalid(block: Uint8Array, start: number, end: number, index: number, problem: LineProblem): void;
}

/** Digits without a leading zero, which ClickHouse refuses in an integer. NaN for all else. */
const digitsAt = (bytes: Uint8Array, from: number, to: number): number => {
  if (bytes[from] === ZERO && to - from > 1) return Number.NaN;
  let value = 0;
  for (let i = from; i < to; i++) {
    const digit = (bytes[i] ?? 0) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return to > from ? value : Number.NaN;
};

/** A plain decimal: `-?digits(.digits)?`, at most 15 digits in all, so that the value is exact. NaN for all else. */
const decimalAt = (bytes: Uint8Array, from: number, to: number): number => {
  const negative = bytes[from] === 45;
  let mantissa = 0;
  let digits = 0;
  let decimals = -1;
  for (let i = negative ? from + 1 : from; i < to; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === 46) {
      if (decimals >= 0 || digits === 0) return Number.NaN;
      decimals = 0;
      continue;
    }
    const digit = byte - 48;
    if (digit < 0 || digit > 9 || digits === 15) return Number.NaN;
    mantissa = mantissa * 10 + digit;
    digits++;
    if (decimals >= 0) decimals++;
  }
  if (digits === 0 || decimals === 0) return Number.NaN;
  const value = decimals > 0 ? mantissa / (POWERS[decimals] ?? Number.NaN) : mantissa;
  return negative ? -value : value;
};

const isSignalId = (bytes: Uint8Array, from: number, to: number): boolean => {
  if (to - from !== SIGNAL_ID_LENGTH) return false;
  if (bytes[from] !== 115 || bytes[from + 1] !== 105 || bytes[from + 2] !== 103 || bytes[from + 3] !== 95)
    return false;
  for (let i = from + 4; i < to; i++) if (ULID_CHARACTER[bytes[i] ?? 0] !== 1) return false;
  return (bytes[from + 4] ?? 0) <= 55;
};

/** Of this line alone: there may be none in all of the block. */
const tabIn = (bytes: Uint8Array, from: number, to: number): number => {
  for (let at = from; at < to; at++) if (bytes[at] === TAB) return at;
  return -1;
};

const scanLine = (
  bytes: Uint8Array,
  start: number,
  end: number,
  appendedAt: number,
  view: LineView,
): LineProblem | null => {
  if (end - start >= LINE_BYTES_MAX) return "line_too_long";
  const first = tabIn(bytes, start, end);
  const second = first < 0 ? -1 : tabIn(bytes, first + 1, end);
  if (second < 0) return "line_not_three_fields";
  if (!isSignalId(bytes, start, first)) return "signal_id_invalid";
  const atMs = digitsAt(bytes, first + 1, second);
  if (Number.isNaN(atMs)) return "time_invalid";
  if (!isReadingTime(atMs, appendedAt)) return "time_out_of_range";
  const strength = decimalAt(bytes, second + 1, end);
  if (Number.isNaN(strength)) return "strength_invalid";
  if (!isStrength(strength)) return "strength_out_of_range";
  view.atMs = atMs;
  view.strength = strength;
  return null;
};

/**
 * Visits every line of a block. The one place that says what a valid line is: grammar, ranges and length, with
 * times from 2000-01-01 to the record's append time + 5 min. A last line may lack its newline; an empty one is skipped.
 * Given a `scan`, it goes on from there.
 */
export const scanBlock = (
  block: Uint8Array,
  appendedAt: number,
  visitor: LineVisitor,
  scan = new BlockScan(),
): void => {
  const view: LineView = { start: 0, end: 0, index: 0, atMs: 0, strength: 0 };
  let { start, index } = scan;
  while (start < block.length && !scan.rests) {
    const after = readPlainLine(block, start, view);
    if (after > 0 && isReadingTime(view.atMs, appendedAt) && isStrength(view.strength)) {
      view.start = start;
      view.end = after;
      view.index = index++;
      visitor.line(block, view);
      start = after;
      continue;
    }
    const newline = block.indexOf(NEWLINE, start);
    const end = newline < 0 ? block.length : newline;
    if (end > start) {
      const problem = scanLine(block, start, end, appendedAt, view);
      view.start = start;
      view.end = newline < 0 ? end : end + 1;
      view.index = index;
      if (problem === null) visitor.line(block, view);
      else visitor.invalid(block, start, end, index, problem);
    }
    start = end + 1;
    index++;
  }
  scan.start = start;
  scan.index = index;
};
