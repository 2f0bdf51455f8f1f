import { describe, expect, test } from "vitest";
import { SIGNAL_REASONS_MAX } from "../../../schemas/signal.ts";
import {
  ruleChange,
  ruleId,
  START_MS,
  signalChange,
  signalId,
  TestPartition,
} from "../../support/partition.ts";
import { referenceEvents } from "../../support/reference/account.ts";
import type { Input } from "../../support/reference/input.ts";
import { linesBySignal, toldEvents } from "../../support/scenario-events.ts";
import { scenarioLog } from "../../support/scenario-log.ts";

/** As many as an account may have. */
const RULES = 1_000;

describe("many rules that fire on one signal", () => {
  test("make events of a bounded size, which say how many there are", () => {
    const partition = new TestPartition().change(signalChange(1, { threshold: 0.5, noDataAfterSeconds: 5 }));
    for (let n = 1; n <= RULES; n++) partition.change(ruleChange(n));
    partition.strengths(-90).ticks(10).strengths(-60);
    const events = partition.news();
    expect(events).toHaveLength(1 + RULES + 1 + RULES + 1);
    expect(Math.max(...events.map((event) => JSON.stringify(event).length))).toBeLessThan(6_000);
    const failed = events.find(({ event }) => event === "signal.failed");
    expect(failed?.data.signal).toMatchObject({ status: "failed", reasonsTotal: RULES + 1 });
    expect(failed?.data.reasons).toHaveLength(SIGNAL_REASONS_MAX);
    // The signal's own come first and last, as ever, and give way to no rule.
    const { previous } = events.at(-1)?.data ?? {};
    expect(previous).toMatchObject({ status: "failed", reasonsTotal: RULES + 2 });
    expect(previous?.reasons?.map(({ kind }) => kind).filter((kind) => kind !== "rule")).toEqual([
      "threshold",
      "noData",
    ]);
    expect(previous?.reasons?.[1]?.ruleId).toBe(ruleId(1));
    expect(previous?.reasons).toHaveLength(SIGNAL_REASONS_MAX);
    expect(events.at(-1)?.data.signal).not.toHaveProperty("reasonsTotal");
  });

  test("are told as the reference tells them", () => {
    const at = (seconds: number) => START_MS + seconds * 1_000;
    const read = (seconds: number, strength: number): Input => ({
      kind: "readings",
      appendedAt: at(seconds),
      readings: [[signalId(1), at(seconds), strength]],
    });
    const rules = Array.from({ length: 30 }, (_, n) =>
      ruleChange(n + 1, { condition: { operator: "below", value: -70 - n } }),
    );
    const inputs: Input[] = [
      ...[signalChange(1, { threshold: 0.5, noDataAfterSeconds: 3 }), ...rules].map(
        (change): Input => ({ kind: "change", appendedAt: START_MS, change }),
      ),
      ...[-88, -90, -99, -120].map((strength, n) => read(n + 1, strength)),
      ...[5, 6, 7, 8].map((seconds): Input => ({ kind: "tick", appendedAt: at(seconds) })),
      ...[-85, -60].map((strength, n) => read(n + 9, strength)),
    ];
    const told = linesBySignal(toldEvents(scenarioLog(inputs).sink.events));
    expect(told).toEqual(linesBySignal(referenceEvents(inputs)));
    expect(JSON.stringify(told)).toContain("reasonsTotal");
  });
});
