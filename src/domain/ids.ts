import { hash } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_MAX = 2 ** 48 - 1;

/** 20 bits as 4 characters of Crockford base 32. */
const encode20 = (bits: number): string =>
  ALPHABET.charAt(bits >>> 15) +
  ALPHABET.charAt((bits >>> 10) & 31) +
  ALPHABET.charAt((bits >>> 5) & 31) +
  ALPHABET.charAt(bits & 31);

const encodeTime = (timeMs: number): string => {
  if (!Number.isInteger(timeMs) || timeMs < 0 || timeMs > TIME_MAX)
    throw new RangeError(`no ULID time: ${timeMs}`);
  const high = Math.floor(timeMs / 2 ** 20);
  return (
    ALPHABET.charAt(high >>> 25) +
    ALPHABET.charAt((high >>> 20) & 31) +
    encode20(high & 0xfffff) +
    encode20(timeMs % 2 ** 20)
  );
};

/** 5 bytes from `at` as 8 characters. */
const encode5 = (bytes: Uint8Array, at: number): string => {
  const byte = (i: number): number => bytes[at + i] ?? 0;
  const high = (byte(0) << 12) | (byte(1) << 4) | (byte(2) >>> 4);
  const low = ((byte(2) & 15) << 16) | (byte(3) << 8) | byte(4);
  return encode20(high) + encode20(low);
};

/** 10 bytes as 16 characters. */
const encodeRandomness = (bytes: Uint8Array): string => encode5(bytes, 0) + encode5(bytes, 5);

/** How much of a ULID is chance. */
export const ULID_CHANCE_BYTES = 10;

/** A ULID (https://github.com/ulid/spec): `timeMs` in Unix milliseconds, `randomness` at least ULID_CHANCE_BYTES. */
export const ulid = (timeMs: number, randomness: Uint8Array): string =>
  encodeTime(timeMs) + encodeRandomness(randomness);

/** One more, as a number of 80 bits; false: it was the greatest. */
const increment = (bytes: Uint8Array): boolean => {
  for (let at = bytes.length - 1; at >= 0; at--) {
    bytes[at] = ((bytes[at] ?? 0) + 1) & 255;
    if (bytes[at] !== 0) return true;
  }
  return false;
};

/**
 * ULIDs of which each of one millisecond is greater than the one before, as the specification's "Monotonicity" has it:
 * what one process made sorts in the order in which it was made.
 */
export class MonotonicUlids {
  readonly #chance: (count: number) => Uint8Array;
  #lastMs = -1;
  #last: Uint8Array = new Uint8Array(ULID_CHANCE_BYTES);

  constructor(chance: (count: number) => Uint8Array) {
    this.#chance = chance;
  }

  /** `timeMs` in Unix milliseconds. */
  next(timeMs: number): string {
    if (timeMs !== this.#lastMs || !increment(this.#last))
      this.#last = Uint8Array.from(this.#chance(ULID_CHANCE_BYTES));
    this.#lastMs = timeMs;
    return ulid(timeMs, this.#last);
  }
}

/** The Unix milliseconds that an id of this shape begins with, whatever stands before its `_`. */
export const timeOfId = (id: string): number => {
  const digits = id.slice(id.indexOf("_") + 1).slice(0, 10);
  return Array.from(digits, (digit) => ALPHABET.indexOf(digit)).reduce((sum, digit) => sum * 32 + digit, 0);
};

/** Where in the log a thing came from; makes its id the same at every replay. */
export interface Origin {
  readonly logId: string;
  readonly partition: number;
  readonly offset: number;
  /** The line within the block, from 0; 0 for a record that is no block. */
  readonly line: number;
  /** Counts what one line caused. */
  readonly ordinal: number;
}

/** ULID-shaped and deterministic: time = `createdAtMs`, the rest = 80 bits of SHA-256 over origin and kind. */
export const derivedUlid = (createdAtMs: number, origin: Origin, kind: string): string => {
  const name = [origin.logId, origin.partition, origin.offset, origin.line, origin.ordinal, kind].join("\n");
  return ulid(createdAtMs, hash("sha256", name, "buffer"));
};
