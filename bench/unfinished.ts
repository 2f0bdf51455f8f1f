import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { z } from "zod";
import type { Measured } from "./bench.ts";

const Figure = z
  .number()
  .nullable()
  .transform((value) => value ?? Number.NaN);
const Unfinished = z.object({
  program: z.string(),
  runs: z.array(
    z.array(
      z.object({
        name: z.string(),
        figures: z.record(z.string(), Figure),
        detail: z.unknown().optional(),
      }),
    ),
  ),
});

/** Whole runs of a bench that was broken off, or failed in a later one: the same program need not measure them again. */
export class UnfinishedRuns {
  readonly #directory: URL;
  readonly #file: URL;
  readonly #program: string;

  /** `program`: of `programState`. */
  constructor(bench: string, program: string, directory = new URL("./unfinished/", import.meta.url)) {
    this.#directory = directory;
    this.#file = new URL(`${bench}.json`, directory);
    this.#program = program;
  }

  async read(): Promise<readonly (readonly Measured[])[]> {
    try {
      const { program, runs } = Unfinished.parse(JSON.parse(await readFile(this.#file, "utf8")));
      return program === this.#program ? runs : [];
    } catch {
      return [];
    }
  }

  async write(runs: readonly (readonly Measured[])[]): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    await writeFile(this.#file, `${JSON.stringify({ program: this.#program, runs })}\n`);
  }

  /** They are kept with the results. */
  async forget(): Promise<void> {
    await rm(this.#file, { force: true });
  }
}
