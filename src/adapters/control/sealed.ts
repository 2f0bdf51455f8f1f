import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync } from "node:crypto";
import { SECRET_KEY_BYTES } from "../../domain/secret-key.ts";
import type { Entropy } from "../../ports/clock.ts";

const HASH_KEY_NAME = "keyed hashes";
const BROWSER_KEY_NAME = "kept by browsers";
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/** What was sealed cannot be opened: another key, another owner, or damaged bytes. Says nothing of the content. */
export class SealedDataError extends Error {
  override readonly name = "SealedDataError";
}

/** AES-256-GCM (NIST SP 800-38D). Bytes: version 1 · nonce 12 · tag 16 · ciphertext. `owner` is authenticated along. */
export interface Sealer {
  /**
   * 32 bytes that are the same for the same text, to find it by: HMAC-SHA-256 under a key derived from the secret key
   * (HKDF, RFC 5869), so that who reads the database cannot even try guesses.
   */
  keyedHash(text: string): Uint8Array;
  seal(owner: string, text: string): Uint8Array;
  open(owner: string, sealed: Uint8Array): string;
}

const derivedKey = (secretKey: Uint8Array, name: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secretKey, new Uint8Array(), name, SECRET_KEY_BYTES));

/** Of what browsers keep: anybody has things sealed for theirs, so that the nonces are none of those of what we keep. */
export const createBrowserSealer = (secretKey: Uint8Array, entropy: Entropy): Sealer =>
  createSealer(derivedKey(secretKey, BROWSER_KEY_NAME), entropy);

/** `secretKey`: 32 bytes; nonces are random, which is safe for 2^32 seals under one key. */
export const createSealer = (secretKey: Uint8Array, entropy: Entropy): Sealer => {
  if (secretKey.length !== SECRET_KEY_BYTES) throw new RangeError("the secret key must have 32 bytes");
  const hashKey = createSecretKey(derivedKey(secretKey, HASH_KEY_NAME));
  return {
    keyedHash: (text) => createHmac("sha256", hashKey).update(text, "utf8").digest(),
    seal: (owner, text) => {
      const nonce = entropy.bytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", secretKey, nonce).setAAD(Buffer.from(owner));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([Uint8Array.of(VERSION), nonce, cipher.getAuthTag(), body]);
    },
    open: (owner, sealed) => {
      try {
        if (sealed[0] !== VERSION) throw new Error("unknown version");
        const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
        const decipher = createDecipheriv("aes-256-gcm", secretKey, nonce, { authTagLength: TAG_BYTES })
          .setAAD(Buffer.from(owner))
          .setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEADER_BYTES));
        const body = decipher.update(sealed.subarray(HEADER_BYTES));
        return Buffer.concat([body, decipher.final()]).toString("utf8");
      } catch {
        throw new SealedDataError(`the secrets of ${owner} cannot be opened with this SECRET_KEY`);
      }
    },
  };
};
