import { link, open, readFile, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { Entropy } from "../../ports/clock.ts";
import { SECRET_KEY_BYTES } from "./sealed.ts";

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

const readKey = async (path: string): Promise<Uint8Array | null> => {
  try {
    return parseSecretKey(await readFile(path, "utf8"), path);
  } catch (error) {
    if (isCode(error, "ENOENT")) return null;
    throw error;
  }
};

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

const synced = async (path: string, flags: string, text?: string): Promise<void> => {
  const file = await open(path, flags, 0o600);
  try {
    if (text !== undefined) await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** Written whole beside its place, then linked there: whoever comes second finds the first one's key. */
const placeKey = async (path: string, text: string, suffix: string): Promise<void> => {
  const draft = `${path}.${suffix}`;
  await synced(draft, "wx", text);
  try {
    await link(draft, path);
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  } finally {
    await unlink(draft);
  }
  await synced(dirname(path), "r");
};

/** The key in the file at `path` (base64, mode 0600), made and durable before it is given if there is none. */
export const loadSecretKey = async (path: string, entropy: Entropy): Promise<Uint8Array> => {
  const found = await readKey(path);
  if (found !== null) return found;
  const text = `${Buffer.from(entropy.bytes(SECRET_KEY_BYTES)).toString("base64")}\n`;
  await placeKey(path, text, Buffer.from(entropy.bytes(6)).toString("hex"));
  const made = await readKey(path);
  if (made === null) throw new SecretKeyError(`${path} was removed while it was made`);
  return made;
};
