import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ruleChange, signalChange, signalId, TestPartition } from "../../support/partition.ts";
import { type ReferenceSettings, referenceEvents } from "../../support/reference-evaluator.ts";
import { walkLines } from "../../support/walk.ts";

/** Tenths of dBm around the limits, so that equality with a limit is common. */
const strength = fc.integer({ min: -1_300, max: -400 }).map((tenths) => tenths / 10);
const settings: fc.Arbitrary<ReferenceSettings> = fc.record({
  floorDbm: fc.integer({ min: -120, max: -90 }),
  ceilingDbm: fc.integer({ min: -60, max: -40 }),
  threshold: fc.integer({ min: 0, max: 20 }).map((n) => n / 20),
  hysteresis: fc.integer({ min: 0, max: 6 }).map((n) => n / 20),
  ruleBelowDbm: strength,
  ruleHysteresisDb: fc.integer({ min: 0, max: 100 }).map((tenths) => tenths / 10),
});

describe("against an independent reference", () => {
  test("threshold and one rule with hysteresis tell the same for any readings", () => {
    fc.assert(
      fc.property(settings, fc.array(strength, { minLength: 1, maxLength: 100 }), (limits, strengths) => {
        const { floorDbm, ceilingDbm, threshold, hysteresis, ruleBelowDbm, ruleHysteresisDb } = limits;
        const partition = new TestPartition().change(
          ruleChange(1, {
            condition: { operator: "below", value: ruleBelowDbm, hysteresis: ruleHysteresisDb },
          }),
          signalChange(1, { floorDbm, ceilingDbm, threshold, hysteresis }),
        );
        partition.news();
        const told = strengths.map((each) => partition.strengths(each).kinds());
        expect(told).toEqual(referenceEvents(limits, strengths));
      }),
    );
  });
});

/** Time and strength of the capture's uplinks. */
const uplinks = (lines: readonly string[]) =>
  lines.flatMap((line) => {
    const message = JSON.parse(line);
    const rssi: unknown = message.uplink_message?.rx_metadata?.[0]?.rssi;
    return typeof rssi === "number" ? [{ at: Date.parse(message.received_at), strength: rssi }] : [];
  });

describe("a real walk", () => {
  const lines = walkLines();

  test.skipIf(lines === null)("fails and recovers 23 times, where present", () => {
    const readings = uplinks(lines ?? []);
    expect(readings).toHaveLength(511);
    const partition = new TestPartition().change(
      ruleChange(1, { condition: { operator: "below", value: -100, hysteresis: 3 }, flapDetection: false }),
      signalChange(1),
    );
    for (const { at, strength: dbm } of readings) partition.read({ signal: 1, strength: dbm, at });
    const kinds = partition.kinds();
    const count = (kind: string) => kinds.filter((each) => each === kind).length;
    expect(partition.evaluation.counts).toEqual({ readings: 511, late: 0 });
    expect([count("signal.failed"), count("signal.updated")]).toEqual([23, 23]);
    expect(partition.evaluation.takeLive(1)).toMatchObject([
      { signalId: signalId(1), strength: readings.at(-1)?.strength },
    ]);
  });
});
