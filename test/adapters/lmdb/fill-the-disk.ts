// Run by disk-full.test.ts in a process whose files may not grow beyond a limit. Prints what it saw as one line of JSON.
import { EventEmitter, once } from "node:events";
import type { EventLog } from "../../../src/ports/event-log.ts";
import { openTestLog } from "../../support/lmdb-log.ts";

const [directory = ""] = process.argv.slice(2);
const block = { value: new Uint8Array(100_000).fill(7) };

/** Appends until one fails; gives the failure. */
const appendUntilFailure = async (log: EventLog, acknowledged: number[]): Promise<unknown> => {
  for (;;) {
    const burst = Array.from({ length: 8 }, () => log.append("readings", [block]));
    const settled = await Promise.allSettled(burst);
    for (const one of settled)
      if (one.status === "fulfilled") acknowledged.push(...one.value.map(({ offset }) => offset));
    const failed = settled.find((one) => one.status === "rejected");
    if (failed !== undefined) return failed.reason;
  }
};

const nameOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : "none";

/** Sees what readers see, in the background. */
const follow = (log: EventLog, signal: AbortSignal) => {
  const seen: number[] = [];
  const grown = new EventEmitter();
  const ended = (async () => {
    for await (const batch of log.tail("readings", { from: 0, signal })) {
      seen.push(...batch.map(({ offset }) => offset));
      grown.emit("grown");
    }
  })();
  const until = async (count: number) => {
    while (seen.length < count) await once(grown, "grown");
  };
  return { seen, ended, until };
};

const log = await openTestLog({ directory });
const ending = new AbortController();
const reader = follow(log, ending.signal);
const acknowledged: number[] = [];
const failure = await appendUntilFailure(log, acknowledged);
await reader.until(acknowledged.length);
const whenFull = {
  failure: nameOf(failure),
  health: log.health(),
  bounds: await log.bounds("readings"),
  seen: [...reader.seen],
  acknowledged: [...acknowledged],
};
await log.trim("readings", 0, Math.floor(acknowledged.length / 2));
const [again] = await log.append("readings", [block]);
const afterTrim = { offset: again?.offset, health: log.health(), bounds: await log.bounds("readings") };
ending.abort();
await reader.ended;
await log.close();
process.stdout.write(`${JSON.stringify({ whenFull, afterTrim })}\n`);
