import { createHash } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = "sos_";
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
/** More than the 190.5 bits of 32 base62 characters, so that the remainder's bias is below 2^-64. */
export const API_KEY_BYTES = 32;

const base62 = (value: bigint, length: number): string => {
  let text = "";
  for (let rest = value; text.length < length; rest /= 62n) text = ALPHABET.charAt(Number(rest % 62n)) + text;
  return text;
};

/** CRC-32 as in zlib and IEEE 802.3 (reflected polynomial 0xEDB88320), of ASCII text. */
export const crc32 = (text: string): number => {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
};

const withChecksum = (body: string): string => body + base62(BigInt(crc32(body)), CHECKSUM_LENGTH);

/** `sos_` + 32 base62 of `bytes` (at least 32 strong random ones) + 6 base62 of the CRC32 of all before. */
export const generateApiKey = (bytes: Uint8Array): string => {
  if (bytes.length < API_KEY_BYTES) throw new RangeError(`an API key needs ${API_KEY_BYTES} bytes`);
  const value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return withChecksum(PREFIX + base62(value, SECRET_LENGTH));
};

/** Whether a text has the form and the checksum of a key: what fails here was never one, and costs no look-up. */
export const isApiKey = (text: string): boolean =>
  SHAPE.test(text) && withChecksum(text.slice(0, -CHECKSUM_LENGTH)) === text;

/** SHA-256 of the whole key, 32 bytes: the only form in which it is kept. */
export const apiKeyHash = (key: string): Uint8Array => createHash("sha256").update(key).digest();

/** What may be shown of a key to tell it from others: `sos_` and four characters. */
export const apiKeyPrefix = (key: string): string => key.slice(0, PREFIX.length + 4);
