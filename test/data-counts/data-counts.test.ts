import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ruleChange, signalChange, signalId, TestPartition } from "../support/partition.ts";
import { ReferenceAccount } from "../support/reference/account.ts";
import { walkLines } from "../support/walk.ts";
import { COUNTED, Counts, counted, RULES, SIGNAL } from "./rules.ts";

const { readings: READINGS, counts } = COUNTED;
const signal = signalChange(1, SIGNAL);

const Uplink = z.object({
  received_at: z.string(),
  uplink_message: z.object({ rx_metadata: z.array(z.object({ rssi: z.number() })).min(1) }).optional(),
});
const lines = walkLines();
const readings = (lines ?? []).flatMap((line) => {
  const { received_at: at, uplink_message: uplink } = Uplink.parse(JSON.parse(line));
  const rssi = uplink?.rx_metadata[0]?.rssi;
  return rssi === undefined ? [] : [{ at: Date.parse(at), strength: rssi }];
});

describe.skipIf(lines === null)("a real walk, where present", () => {
  test("is what the counts were made of", () => {
    expect(readings).toHaveLength(READINGS);
    expect(Object.keys(RULES)).toEqual(Object.keys(counts));
  });

  test.each(Object.keys(RULES))("fires live as often as an independent script has counted: %s", (name) => {
    const partition = new TestPartition();
    partition.now = readings[0]?.at ?? 0;
    partition.change(ruleChange(1, RULES[name]), signal);
    for (const { at, strength } of readings) {
      partition.now = at;
      partition.read({ signal: 1, strength, at });
    }
    expect(counted(partition.news())).toEqual(counts[name]);
  });

  test.each(Object.keys(RULES))("fires as often in the reference: %s", (name) => {
    const account = new ReferenceAccount();
    const appendedAt = readings[0]?.at ?? 0;
    for (const change of [ruleChange(1, RULES[name]), signal])
      account.apply({ kind: "change", appendedAt, change });
    for (const { at, strength } of readings)
      account.apply({ kind: "readings", appendedAt: at, readings: [[signalId(1), at, strength]] });
    expect(counted(account.events)).toEqual(counts[name]);
  });

  const hasPython = spawnSync("python3", ["-c", "import zoneinfo"]).status === 0;
  test.skipIf(!hasPython)("is counted so by the script of today, where Python is", () => {
    const script = new URL("counts.py", import.meta.url).pathname;
    const { stdout } = spawnSync("python3", [script, "--print"], { encoding: "utf8" });
    expect(Counts.parse(JSON.parse(stdout)).counts).toEqual(counts);
  });
});
