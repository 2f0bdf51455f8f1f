import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { plainBody } from "./body.ts";

/**
 * Bodies of inserts, as files for the engine to read. None is ever synced: what a body holds is safe once the engine
 * has stored it, and until then with whoever sent it. A short-lived one seldom reaches the disk.
 */
export class InsertBodies {
  readonly #directory: string;
  #made = 0;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** What a run that was killed left in `directory` is removed. */
  static async open(directory: string): Promise<InsertBodies> {
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return new InsertBodies(directory);
  }

  /** Does `task` with the body in a file, which is then gone. */
  async during<T>(request: IncomingMessage, task: (path: string) => Promise<T>): Promise<T> {
    const path = join(this.#directory, String(++this.#made));
    try {
      await pipeline(plainBody(request), createWriteStream(path, { mode: 0o600 }));
      return await task(path);
    } finally {
      await rm(path, { force: true });
    }
  }
}
