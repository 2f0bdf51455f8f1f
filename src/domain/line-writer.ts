const TAB = 9;
const NEWLINE = 10;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

const encoder = new TextEncoder();

/** The start of every line of a signal: its id and the tab behind it. */
export const linePrefix = (signalId: string): Uint8Array => encoder.encode(`${signalId}\t`);

const writeInteger = (block: Uint8Array, at: number, value: number): number => {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits++;
  let rest = value;
  for (let i = at + digits - 1; i >= at; i--) {
    const tens = (rest / 10) | 0;
    block[i] = ZERO + (rest - tens * 10);
    rest = tens;
  }
  return at + digits;
};

const TEN_MILLION = 10_000_000;

/** A time has more digits than 32-bit arithmetic holds: it is written in two halves. */
const writeTime = (block: Uint8Array, at: number, timeMs: number): number => {
  const high = Math.floor(timeMs / TEN_MILLION);
  if (high === 0) return writeInteger(block, at, timeMs);
  const end = writeInteger(block, at, high);
  let rest = timeMs - high * TEN_MILLION;
  for (let i = end + 6; i >= end; i--) {
    const tens = (rest / 10) | 0;
    block[i] = ZERO + (rest - tens * 10);
    rest = tens;
  }
  return end + 7;
};

const writeText = (block: Uint8Array, at: number, text: string): number => {
  for (let i = 0; i < text.length; i++) block[at + i] = text.charCodeAt(i);
  return at + text.length;
};

const writeTenThousandths = (block: Uint8Array, at: number, value: number): number => {
  const whole = (value / 10_000) | 0;
  let end = writeInteger(block, at, whole);
  let rest = value - whole * 10_000;
  if (rest === 0) return end;
  block[end++] = POINT;
  for (let unit = 1_000; rest > 0; unit /= 10) {
    const digit = (rest / unit) | 0;
    block[end++] = ZERO + digit;
    rest -= digit * unit;
  }
  return end;
};

/** Products this close to a half may have been rounded across it: `toFixed`, which is exact, decides about them. */
const HALF_DOUBT = 1e-6;

const writeStrength = (block: Uint8Array, at: number, strength: number): number => {
  const scaled = Math.abs(strength) * 10_000;
  const rounded = Math.round(scaled);
  if (Math.abs(Math.abs(scaled - Math.trunc(scaled)) - 0.5) < HALF_DOUBT) {
    return writeText(block, at, String(Number(strength.toFixed(4))));
  }
  if (strength >= 0 || rounded === 0) return writeTenThousandths(block, at, rounded);
  block[at] = MINUS;
  return writeTenThousandths(block, at + 1, rounded);
};

/**
 * Writes what `readingLine` says behind the line's prefix, byte by byte, at `at`, and gives the place behind it. `atMs`
 * and `strength` must be valid; LINE_BYTES_MAX bytes must be free for the whole line.
 */
export const writeReading = (block: Uint8Array, at: number, atMs: number, strength: number): number => {
  let end = writeTime(block, at, atMs);
  block[end++] = TAB;
  end = writeStrength(block, end, strength);
  block[end++] = NEWLINE;
  return end;
};

/** The whole line, as `writeReading`; `prefix` as `linePrefix` makes it. */
export const writeLine = (
  block: Uint8Array,
  at: number,
  prefix: Uint8Array,
  atMs: number,
  strength: number,
): number => {
  block.set(prefix, at);
  return writeReading(block, at + prefix.length, atMs, strength);
};
