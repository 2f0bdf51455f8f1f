import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { AlertData } from "../../schemas/alert.ts";
import { ruleChange, signalChange, signalId, TestPartition } from "../support/partition.ts";
import { ReferenceAccount } from "../support/reference/account.ts";
import { walkLines } from "../support/walk.ts";

const Count = z.strictObject({
  firings: z.number(),
  resolved: z.number(),
  stepsUp: z.number(),
  stepsDown: z.number(),
});
const Counts = z.object({ readings: z.number(), counts: z.record(z.string(), Count) });
const file = new URL("counts.json", import.meta.url);
const { readings: READINGS, counts } = Counts.parse(JSON.parse(readFileSync(file, "utf8")));

const LADDER = [
  { severity: "info" as const, value: -95 },
  { severity: "warning" as const, value: -105 },
  { severity: "critical" as const, value: -115 },
];
/** The rules of `counts.py`, in the words of the service. */
const RULES: Readonly<Record<string, Parameters<typeof ruleChange>[1]>> = {
  "below -100": { condition: { operator: "below", value: -100 } },
  "above -90": { condition: { operator: "above", value: -90 } },
  "outside -115 to -85, hysteresis 2": {
    condition: { operator: "outside", value: -115, upper: -85, hysteresis: 2 },
  },
  "change of 15 dB over 60 s": { condition: { operator: "change", value: 15, overSeconds: 60 } },
  "fall of 20 dB over 120 s, hysteresis 5": {
    condition: { operator: "change", value: 20, overSeconds: 120, direction: "fall", hysteresis: 5 },
  },
  "quality below 0.25 from -120 to -60": { condition: { metric: "quality", operator: "below", value: 0.25 } },
  "levels below -95, -105, -115": { condition: { operator: "below" }, levels: LADDER },
  "levels with waits of 6 s and 9 s": {
    condition: { operator: "below" },
    levels: LADDER,
    forSeconds: 6,
    keepFiringForSeconds: 9,
  },
  "below -100 for 5 s, kept for 15 s": {
    condition: { operator: "below", value: -100 },
    forSeconds: 5,
    keepFiringForSeconds: 15,
  },
  "below the label's -105.5": { condition: { operator: "below", valueFrom: { label: "limit" } } },
  "below -100 from 16:00 to 16:20 in Sao Paulo": {
    condition: { operator: "below", value: -100 },
    schedule: { timeZone: "America/Sao_Paulo", windows: [{ from: "16:00", to: "16:20" }] },
  },
};
const signal = signalChange(1, { floorDbm: -120, ceilingDbm: -60, labels: { limit: " -105.5 " } });

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

const HARDNESS = ["info", "warning", "critical"];
type Alert = Pick<AlertData, "severity" | "previousSeverity" | "flapping">;
interface Told {
  readonly event: string;
  readonly data: { readonly alert?: Alert | undefined };
}

/** How often the alert began, ended and took a step; what sums up flapping tells of nothing new. */
const counted = (events: readonly Told[]): z.infer<typeof Count> => {
  const alerts = (kind: string) =>
    events.flatMap(({ event, data: { alert } }) =>
      event === kind && alert !== undefined && alert.flapping?.state !== "ended" ? [alert] : [],
    );
  const firing = alerts("alert.firing");
  const steps = firing.flatMap(({ severity, previousSeverity: before }) =>
    before === undefined ? [] : [HARDNESS.indexOf(severity) - HARDNESS.indexOf(before)],
  );
  return {
    firings: firing.length - steps.length,
    resolved: alerts("alert.resolved").length,
    stepsUp: steps.filter((step) => step > 0).length,
    stepsDown: steps.filter((step) => step < 0).length,
  };
};

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
