import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RuleTemplate } from "../../../src/domain/evaluation/compiled-rule.ts";
import { tickRecord } from "../../../src/domain/records.ts";
import {
  accountId,
  definition,
  rule,
  ruleChange,
  signalChange,
  TestPartition,
} from "../../support/partition.ts";

/** Seconds whose thousandfold is seldom a whole number in a double, among them some that are just above one. */
const seconds = fc.oneof(
  fc.constantFrom(0, 4.03, 8.05, 16.1, 2.007, 0.0600001, 0.0004),
  fc.integer({ min: 0, max: 90_000 }).map((ms) => ms / 1000),
  fc.double({ min: 0, max: 86_400, noNaN: true }),
);
/** Milliseconds from the due moment at which records come; the last one is behind it for sure. */
const around = fc
  .uniqueArray(fc.integer({ min: -3, max: 3 }), { maxLength: 5 })
  .map((offsets) => [...offsets, 4].sort((a, b) => a - b));

/** Appends records around the moment, and gives the times of those at which something was told. */
const toldAround = (partition: TestPartition, dueMs: number, offsets: readonly number[]): string[] => {
  for (const offset of offsets) {
    if (dueMs + offset < partition.now) continue;
    partition.now = dueMs + offset;
    partition.append(tickRecord(0));
  }
  return partition.news().map(({ createdAt }) => createdAt);
};

/** Twice the time of the first record at or behind the due moment: of the alert, and of the signal. */
const twice = (dueMs: number, offsets: readonly number[]): string[] => {
  const first = offsets.find((offset) => offset >= 0) ?? 4;
  return Array.from({ length: 2 }, () => new Date(dueMs + first).toISOString());
};

describe("a wait of any length", () => {
  test("is whole milliseconds long, and over at the first record at or behind its end", () => {
    fc.assert(
      fc.property(seconds, seconds, around, around, (forSeconds, keepFiringForSeconds, firing, clearing) => {
        const waits = { forSeconds, keepFiringForSeconds, flapDetection: false };
        const compiled = new RuleTemplate(accountId(1), 1, rule(1, waits)).for(definition(1));
        const { forMs, keepFiringForMs } = compiled ?? { forMs: Number.NaN, keepFiringForMs: Number.NaN };
        // Looked at first: a wait of a fraction of a millisecond once made a record's timers fire for ever.
        expect([forMs, keepFiringForMs].every(Number.isInteger)).toBe(true);
        const partition = new TestPartition().change(ruleChange(1, waits), signalChange(1));
        partition.news();

        let dueMs = partition.now + forMs;
        partition.read({ signal: 1, strength: -90 });
        if (forMs === 0) expect(partition.kinds()).toHaveLength(2);
        else expect(toldAround(partition, dueMs, firing)).toEqual(twice(dueMs, firing));

        dueMs = partition.now + keepFiringForMs;
        partition.read({ signal: 1, strength: -60 });
        if (keepFiringForMs === 0) expect(partition.kinds()).toHaveLength(2);
        else expect(toldAround(partition, dueMs, clearing)).toEqual(twice(dueMs, clearing));
        expect(partition.evaluation.timePending).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the timer of a signal", () => {
  test("waits for the next of its rules' waits after the first is over", () => {
    const partition = new TestPartition().change(
      ruleChange(1, { forSeconds: 4.03, flapDetection: false }),
      ruleChange(2, { forSeconds: 2.007, flapDetection: false }),
      ruleChange(3, { forSeconds: 4.03, keepFiringForSeconds: 8.05, flapDetection: false }),
      signalChange(1),
    );
    const dueMs = partition.now + 4_030;
    partition.news();
    partition.read({ signal: 1, strength: -90 });
    expect(toldAround(partition, dueMs - 2_023, [-1, 0, 1])).toHaveLength(2);
    expect(toldAround(partition, dueMs, [-1])).toEqual([]);
    expect(toldAround(partition, dueMs, [0])).toHaveLength(2);
    expect(partition.evaluation.timePending).toBe(false);
  });
});

describe("a wait that would be over outside of the schedule", () => {
  const office = { timeZone: "UTC", windows: [{ from: "08:00", to: "16:00" }] };
  const opened = (forSeconds: number): TestPartition => {
    const partition = new TestPartition();
    partition.now = Date.parse("2026-01-05T15:59:50Z");
    partition.change(ruleChange(1, { schedule: office, forSeconds }), signalChange(1));
    partition.read({ signal: 1, strength: -90 });
    partition.news();
    return partition;
  };

  test.each([
    ["by the append time", (partition: TestPartition) => partition.ticks(31)],
    [
      "by a reading's own time",
      (partition: TestPartition) => partition.after(40_000).read({ signal: 1, strength: -90 }),
    ],
    [
      "by a reading of the next morning",
      (partition: TestPartition) => partition.after(20 * 3_600_000).read({ signal: 1, strength: -90 }),
    ],
  ])("ends %s without an alert", (_, pass) => {
    expect(pass(opened(30)).kinds()).toEqual([]);
    expect(pass(opened(10)).kinds()).toEqual([]);
    expect(pass(opened(9.9)).kinds().slice(0, 2)).toEqual(["alert.firing", "signal.failed"]);
  });
});
