import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import type { EventLog } from "../../../src/ports/event-log.ts";
import { take } from "../../conformance/event-log/reading.ts";
import { temporaryDirectory } from "../../support/directory.ts";
import { openTestLog } from "../../support/lmdb-log.ts";

const CHILD = new URL("append-until-killed.ts", import.meta.url).pathname;
const PARTITIONS = 3;

interface Witness {
  /** `partition offset` -> text, of every append that was acknowledged. */
  readonly acknowledged: Map<string, string>;
  readonly seen: Set<string>;
  readonly committed: Map<number, number>;
}

/** Runs the child until it has acknowledged `count` appends, then kills it in the middle of whatever it does. */
const runAndKill = async (directory: string, run: number, count: number, witness: Witness) => {
  const child = spawn(process.execPath, [CHILD, directory, `run${run}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const before = witness.acknowledged.size;
  for await (const line of createInterface({ input: child.stdout })) {
    const [what = "", partition = "", offset = "", ...text] = line.split(" ");
    const place = `${partition} ${offset}`;
    if (what === "seen") witness.seen.add(place);
    if (what === "committed") witness.committed.set(Number(partition), Number(offset));
    if (what !== "acknowledged") continue;
    expect(witness.acknowledged.has(place), `offset used twice: ${place}`).toBe(false);
    witness.acknowledged.set(place, text.join(" "));
    if (witness.acknowledged.size - before === count) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  expect(child.signalCode).toBe("SIGKILL");
};

/** `partition offset` -> text of everything kept. */
const stored = async (log: EventLog): Promise<Map<string, string>> => {
  const found = new Map<string, string>();
  for (const { partition, earliest, end } of await log.bounds("readings")) {
    const records = await take(log, "readings", end - earliest, { partition, from: earliest });
    for (const { offset, value } of records)
      found.set(`${partition} ${offset}`, Buffer.from(value).toString().replace(/\.+$/, ""));
  }
  return found;
};

it("keeps everything acknowledged, seen or committed through kill -9, and uses no offset twice", async () => {
  const directory = await temporaryDirectory();
  const witness: Witness = { acknowledged: new Map(), seen: new Set(), committed: new Map() };
  for (let run = 0; run < 5; run++) {
    await runAndKill(directory, run, 100 + run * 137, witness);
    const log = await openTestLog({ directory, partitions: { readings: PARTITIONS } });
    const kept = await stored(log);
    const earliest = new Map(
      (await log.bounds("readings")).map((bound) => [bound.partition, bound.earliest]),
    );
    const trimmed = (place: string) => {
      const [partition, offset] = place.split(" ").map(Number);
      return (offset ?? 0) < (earliest.get(partition ?? 0) ?? 0);
    };
    for (const [place, text] of witness.acknowledged) if (!trimmed(place)) expect(kept.get(place)).toBe(text);
    for (const place of witness.seen) if (!trimmed(place)) expect(kept.has(place)).toBe(true);
    const committed = await log.committed("g", "readings");
    for (const [partition, next] of witness.committed)
      expect(committed.get(partition)).toBeGreaterThanOrEqual(next);
    await log.close();
  }
});
