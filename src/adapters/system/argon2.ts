import { type Argon2Parameters, argon2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { Semaphore } from "async-mutex";
import type { Entropy } from "../../ports/clock.ts";
import { type Passwords, TooManyPasswordsError } from "../../ports/passwords.ts";

/** OWASP's Password Storage Cheat Sheet: 19 MiB, two passes. 31 ms on one core. */
const COST = { memory: 19 * 1024, passes: 2, parallelism: 1, tagLength: 32 } as const;
const SALT_BYTES = 16;
/** Each keeps a core busy, and 19 MiB. */
const AT_ONCE = 4;
const WAITING_MAX = 100;
/** The PHC string format: https://github.com/P-H-C/phc-string-format. */
const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const derive = promisify(argon2);
const unpadded = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64").replace(/=+$/, "");

interface Kept {
  readonly parameters: Omit<Argon2Parameters, "message">;
  readonly tag: Buffer;
}

const parsed = (text: string): Kept => {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(text) ?? [];
  if (salt === undefined || tag === undefined) throw new Error("a kept password is of an unknown form");
  const bytes = Buffer.from(tag, "base64");
  const parameters = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: bytes.length,
    nonce: Buffer.from(salt, "base64"),
  };
  return { parameters, tag: bytes };
};

/** Passwords by Argon2id (RFC 9106); four at once in this process, and a hundred that wait. */
export const argon2Passwords = (entropy: Entropy): Passwords => {
  const turns = new Semaphore(AT_ONCE);
  let taken = 0;
  const limited = async <T>(work: () => Promise<T>): Promise<T> => {
    if (taken >= AT_ONCE + WAITING_MAX)
      throw new TooManyPasswordsError(`${WAITING_MAX} passwords wait already`);
    taken++;
    try {
      return await turns.runExclusive(work);
    } finally {
      taken--;
    }
  };
  const hash = async (password: string): Promise<string> => {
    const nonce = entropy.bytes(SALT_BYTES);
    const tag = await limited(() => derive("argon2id", { ...COST, message: password, nonce }));
    const { memory, passes, parallelism } = COST;
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`;
  };
  return {
    hash,
    verify: async (password, kept) => {
      if (kept === null) {
        await hash(password);
        return false;
      }
      const { parameters, tag } = parsed(kept);
      const found = await limited(() => derive("argon2id", { ...parameters, message: password }));
      return timingSafeEqual(found, tag);
    },
  };
};
