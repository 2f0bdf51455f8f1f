import type { SignalStatus } from "../../schemas/signal.ts";
import { isIdAt, SIGNAL_ID_LENGTH, strengthAt, TIME_DIGITS, timeAt } from "./plain-line.ts";

const TAB = 9;
const NEWLINE = 10;
const ZERO = 48;

/** Where the account's id begins in a line, and how long it is. */
export const ACCOUNT_AT = SIGNAL_ID_LENGTH + 1;
export const ACCOUNT_ID_LENGTH = 30;
const TIME_AT = ACCOUNT_AT + ACCOUNT_ID_LENGTH + 1;
const STRENGTH_AT = TIME_AT + TIME_DIGITS + 1;

/** What `readPlainLive` found. */
export interface PlainLive {
  atMs: number;
  strength: number;
  status: SignalStatus;
}

/** By its place in what `encodeLive` writes. */
export const STATUS_CODES: readonly SignalStatus[] = ["active", "failed", "paused"];

/**
 * Reads a line of topic `live` that tells of a reading, as nearly every one does. Gives the offset after the newline, or
 * -1 for any other line, which `decodeLive` may know. The account is not looked at.
 */
export const readPlainLive = (bytes: Uint8Array, start: number, line: PlainLive): number => {
  const isLaidOut =
    bytes[start + SIGNAL_ID_LENGTH] === TAB &&
    bytes[start + TIME_AT - 1] === TAB &&
    bytes[start + STRENGTH_AT - 1] === TAB;
  if (!isLaidOut || !isIdAt(bytes, start)) return -1;
  const atMs = timeAt(bytes, start + TIME_AT);
  if (atMs < 0) return -1;
  const end = strengthAt(bytes, start + STRENGTH_AT, TAB, line);
  if (end < 0 || bytes[end + 1] !== NEWLINE) return -1;
  const status = STATUS_CODES[(bytes[end] ?? 0) - ZERO];
  if (status === undefined) return -1;
  line.atMs = atMs;
  line.status = status;
  return end + 2;
};
