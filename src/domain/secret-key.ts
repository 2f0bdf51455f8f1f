export const SECRET_KEY_BYTES = 32;

/** The key's text or file is of no use; names where it came from, never what it is. */
export class SecretKeyError extends Error {
  override readonly name = "SecretKeyError";
}

const HEX = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/** 32 bytes from 64 hex digits or from base64 (standard or URL alphabet). `from` names the origin in the error. */
export const parseSecretKey = (text: string, from = "SECRET_KEY"): Uint8Array => {
  const trimmed = text.trim();
  const encoding = HEX.test(trimmed) ? "hex" : BASE64.test(trimmed) ? "base64" : null;
  const key = encoding === null ? new Uint8Array() : new Uint8Array(Buffer.from(trimmed, encoding));
  if (key.length !== SECRET_KEY_BYTES) {
    throw new SecretKeyError(
      `${from} must be 32 bytes as 64 hex digits or as base64, for example from: openssl rand -base64 32`,
    );
  }
  return key;
};
