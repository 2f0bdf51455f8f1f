import { readdir, readFile } from "node:fs/promises";
import type { Clock } from "../../ports/clock.ts";
import { beNicer } from "../system/niceness.ts";

/** What ClickHouse calls the threads of its merges. */
const NAME = "MergeMutate";
/** Merges come before readings that are yet to be taken in, and after all that somebody waits for. */
export const MERGES_NICENESS = 4;

/** The engine makes such threads when the first table is there, and may make more. */
const LOOK_EVERY_MS = 2_000;

const look = async (): Promise<void> => {
  for (const thread of await readdir("/proc/self/task")) {
    // One that ends meanwhile was none of them.
    const name = await readFile(`/proc/self/task/${thread}/comm`, "utf8").catch(() => "");
    if (name.trim() === NAME) beNicer(MERGES_NICENESS, Number(thread));
  }
};

/**
 * Lets queries and inserts go before merges, which take as much CPU as inserts do. On Linux alone, where a thread has a
 * niceness of its own (setpriority(2)); elsewhere nothing happens. For as long as the process runs. The engine's own
 * setting for it (os_threads_nice_value_merge_mutate) does nothing without CAP_SYS_NICE, which nobody needs to be nicer.
 */
export const niceMerges = (clock: Clock): void => {
  if (process.platform !== "linux") return;
  // A thread that ended between two looks, or rights that are missing: the next look will do, or merges stay as they are.
  clock.every(LOOK_EVERY_MS, () => void look().catch(() => undefined));
};
