import { chmod, mkdir, open, readFile, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { platformClock } from "../client/platform.ts";
import type { Tokens } from "../client/tokens.ts";
import { UsageError } from "./context.ts";

const Saved = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  expiresAt: z.number(),
  scope: z.string(),
});
/** By the address of each service. */
const File = z.record(z.string(), Saved);

const LOCK_EVERY_MS = 50;
const LOCK_WAIT_MS = 30_000;
/** Whoever held it so long was killed. */
const LOCK_STALE_MS = 60_000;

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

/** Null: a newer one, or damaged. */
const fileOf = (text: string): z.infer<typeof File> | null => {
  try {
    return File.parse(JSON.parse(text));
  } catch {
    return null;
  }
};

const directoryOf = ({ XDG_CONFIG_HOME, HOME }: Readonly<Record<string, string | undefined>>): string => {
  if (XDG_CONFIG_HOME) return join(XDG_CONFIG_HOME, "signals");
  if (HOME) return join(HOME, ".config", "signals");
  throw new UsageError("there is no home directory to keep a sign-in in", "Set HOME, or SIGNALS_API_KEY.");
};

/** Who is signed in where: a file of the user that nobody else may read. */
export class Credentials {
  readonly #directory: string;
  readonly #path: string;

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    this.#directory = directoryOf(environment);
    this.#path = join(this.#directory, "credentials.json");
  }

  async read(url: string): Promise<Tokens | null> {
    return (await this.#all())[url] ?? null;
  }

  /**
   * What `work` makes of what is there; null: nothing. One at a time, of all processes of the user: a refresh token that
   * two of them used would end the sign-in.
   */
  async change(url: string, work: (before: Tokens | null) => Promise<Tokens | null>): Promise<Tokens | null> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const lock = `${this.#path}.lock`;
    await this.#take(lock);
    try {
      const all = await this.#all();
      const before = all[url] ?? null;
      const next = await work(before);
      const { [url]: _gone, ...others } = all;
      if (next !== before) await this.#write(next === null ? others : { ...others, [url]: { ...next } });
      return next;
    } finally {
      await unlink(lock);
    }
  }

  async #all(): Promise<z.infer<typeof File>> {
    const text = await readFile(this.#path, "utf8").catch((error: unknown) => {
      if (isCode(error, "ENOENT")) return "{}";
      throw error;
    });
    const file = fileOf(text);
    if (file !== null) return file;
    throw new UsageError(`${this.#path} is damaged`, "Delete it, and sign in again: signals login");
  }

  /** Whole, or not at all. */
  async #write(all: z.infer<typeof File>): Promise<void> {
    const draft = `${this.#path}.new`;
    const file = await open(draft, "w", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(all, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    // One that was left behind keeps its mode.
    await chmod(draft, 0o600);
    await rename(draft, this.#path);
  }

  async #take(lock: string): Promise<void> {
    const deadline = platformClock.now() + LOCK_WAIT_MS;
    for (;;) {
      try {
        await (await open(lock, "wx", 0o600)).close();
        return;
      } catch (error) {
        if (!isCode(error, "EEXIST")) throw error;
      }
      const held = await stat(lock).catch(() => null);
      if (held !== null && held.mtimeMs < platformClock.now() - LOCK_STALE_MS)
        await unlink(lock).catch(() => undefined);
      else if (platformClock.now() >= deadline)
        throw new UsageError(`${lock} is held by another process`, "Delete it if there is none.");
      else await platformClock.sleep(LOCK_EVERY_MS);
    }
  }
}
