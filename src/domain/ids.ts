import { createHash } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME_MAX = 2 ** 48 - 1;

const encodeTime = (timeMs: number): string => {
  if (!Number.isInteger(timeMs) || timeMs < 0 || timeMs > TIME_MAX)
    throw new RangeError(`no ULID time: ${timeMs}`);
  let rest = timeMs;
  let text = "";
  for (let i = 0; i < 10; i++) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
};

/** 10 bytes as 16 characters of Crockford base 32. */
const encodeRandomness = (bytes: Uint8Array): string => {
  let bits = 0n;
  for (let i = 0; i < 10; i++) bits = (bits << 8n) | BigInt(bytes[i] ?? 0);
  let text = "";
  for (let i = 0; i < 16; i++) {
    text = ALPHABET.charAt(Number(bits & 31n)) + text;
    bits >>= 5n;
  }
  return text;
};

/** A ULID (https://github.com/ulid/spec): `timeMs` in Unix milliseconds, `randomness` at least 10 bytes. */
export const ulid = (timeMs: number, randomness: Uint8Array): string =>
  encodeTime(timeMs) + encodeRandomness(randomness);

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
  return ulid(createdAtMs, createHash("sha256").update(name).digest());
};
