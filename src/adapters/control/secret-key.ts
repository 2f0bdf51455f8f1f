import { link, open, readFile, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { parseSecretKey, SECRET_KEY_BYTES, SecretKeyError } from "../../domain/secret-key.ts";
import type { Entropy } from "../../ports/clock.ts";

/** The key in the file at `path`; null where there is none. */
export const readSecretKey = async (path: string): Promise<Uint8Array | null> => {
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
  const found = await readSecretKey(path);
  if (found !== null) return found;
  const text = `${Buffer.from(entropy.bytes(SECRET_KEY_BYTES)).toString("base64")}\n`;
  await placeKey(path, text, Buffer.from(entropy.bytes(6)).toString("hex"));
  const made = await readSecretKey(path);
  if (made === null) throw new SecretKeyError(`${path} was removed while it was made`);
  return made;
};
