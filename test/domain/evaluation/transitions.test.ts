import { describe, expect, test } from "vitest";
import { SignalServiceEvent } from "../../../schemas/event.ts";
import type { RuleCreate } from "../../../schemas/rule.ts";
import { ruleChange, ruleId, START_MS, signalChange, TestPartition } from "../../support/partition.ts";

const FAILED = ["alert.firing", "signal.failed"];
const RECOVERED = ["alert.resolved", "signal.updated"];

/** A partition with signal 1 and one rule; what its making told is forgotten. */
const withRule = (overrides: Partial<typeof RuleCreate._zod.input> = {}): TestPartition => {
  const partition = new TestPartition().change(ruleChange(1, overrides), signalChange(1));
  partition.news();
  return partition;
};

describe("a rule", () => {
  // Strengths read one after the other, and what each of them tells.
  const table: [string, Partial<typeof RuleCreate._zod.input>, [number, string[]][]][] = [
    [
      "below fires under the value and clears at value + hysteresis",
      { condition: { operator: "below", value: -80 } },
      [
        [-80, []],
        [-80.1, FAILED],
        [-90, []],
        [-77.1, []],
        [-77, RECOVERED],
        [-79, []],
      ],
    ],
    [
      "above fires over the value and clears at value - hysteresis",
      { condition: { operator: "above", value: -60, hysteresis: 5 } },
      [
        [-60, []],
        [-59.9, FAILED],
        [-64.9, []],
        [-65, RECOVERED],
      ],
    ],
    [
      "outside fires on both sides and clears well inside",
      { condition: { operator: "outside", value: -80, upper: -60, hysteresis: 2 } },
      [
        [-80, []],
        [-81, FAILED],
        [-79, []],
        [-78, RECOVERED],
        [-59, FAILED],
        [-61, []],
        [-62, RECOVERED],
      ],
    ],
    [
      "outside stays one alert when the value jumps from one side to the other",
      { condition: { operator: "outside", value: -80, upper: -60 } },
      [
        [-81, FAILED],
        [-59, []],
        [-70, RECOVERED],
      ],
    ],
    [
      "on quality compares quality",
      { condition: { metric: "quality", operator: "below", value: 0.4 } },
      [
        [-80, []],
        [-80.5, FAILED],
        [-78, []],
        [-77.5, RECOVERED],
      ],
    ],
    [
      "near the edge of its range clears at the edge",
      { condition: { metric: "quality", operator: "below", value: 0.98 } },
      [
        [-55, FAILED],
        [-50, RECOVERED],
      ],
    ],
    [
      "that does not fail the signal makes alert events only",
      { failsSignal: false },
      [
        [-90, ["alert.firing"]],
        [-70, ["alert.resolved"]],
      ],
    ],
    ["that is disabled judges nothing", { enabled: false }, [[-150, []]]],
    [
      "compares as Float32, as what is stored will compare",
      { condition: { operator: "below", value: -80.1 } },
      [[-80.1, []]],
    ],
  ];

  test.each(table)("%s", (_, overrides, steps) => {
    const partition = withRule(overrides);
    for (const [strength, kinds] of steps) {
      expect.soft(partition.strengths(strength).kinds(), `at ${strength} dBm`).toEqual(kinds);
    }
  });

  test("tells its limit, value, times and reason in the alert", () => {
    const partition = withRule({ severity: "critical", name: "too weak" });
    const [firing] = partition.strengths(-90).news();
    const [resolved, updated] = partition.strengths(-70).news();
    const alert = {
      id: firing?.data.alert?.id,
      ruleId: ruleId(1),
      ruleName: "too weak",
      severity: "critical",
      firedAt: "2026-01-01T00:00:01.000Z",
      limit: -80,
    };
    expect(firing?.data.alert).toEqual({ ...alert, state: "firing", resolvedAt: null, value: -90 });
    expect(resolved?.data.alert).toEqual({
      ...alert,
      state: "resolved",
      resolvedAt: "2026-01-01T00:00:02.000Z",
      value: -70,
      resolveReason: "recovered",
    });
    const reasons = [{ kind: "rule", ruleId: ruleId(1), since: "2026-01-01T00:00:01.000Z", value: -90 }];
    expect(updated?.data.previous).toEqual({ status: "failed", reasons });
  });

  test("selects by signal, by all its labels, and by source", () => {
    const partition = new TestPartition().change(
      ruleChange(1, { select: { labels: { site: "north", kind: "lora" } } }),
      signalChange(1, { labels: { site: "north", kind: "lora", floor: "2" } }),
      signalChange(2, { labels: { site: "north" } }),
    );
    partition.news();
    partition.read({ signal: 2, strength: -90 }, { signal: 1, strength: -90 });
    expect(partition.news().map(({ event, data }) => [event, data.signal?.name])).toEqual([
      ["alert.firing", "signal 1"],
      ["signal.failed", "signal 1"],
    ]);
  });
});

describe("a signal's threshold", () => {
  test("fails under it, clears at threshold + hysteresis, and makes no alert", () => {
    const partition = new TestPartition().change(signalChange(1, { threshold: 0.2 }));
    expect(partition.kinds()).toEqual(["signal.created"]);
    expect(partition.strengths(-90).kinds()).toEqual([]);
    const [failed] = partition.strengths(-90.5).news();
    expect(failed?.data.reasons).toEqual([
      { kind: "threshold", since: "2026-01-01T00:00:02.000Z", value: 0.19 },
    ]);
    expect(failed?.data.signal).toMatchObject({
      status: "failed",
      strength: -90.5,
      quality: 0.19,
      sequence: 2,
    });
    expect(partition.strengths(-88).kinds()).toEqual([]);
    expect(partition.strengths(-87.5).kinds()).toEqual(["signal.updated"]);
  });

  test("near 1 clears at 1", () => {
    const partition = new TestPartition().change(signalChange(1, { threshold: 1 }));
    expect(partition.strengths(-51, -50).kinds()).toEqual([
      "signal.created",
      "signal.failed",
      "signal.updated",
    ]);
  });
});

describe("conditions together", () => {
  test("fail a signal at the first and recover it at the last, alerts in rule order before", () => {
    const partition = new TestPartition().change(
      ruleChange(2, { condition: { operator: "below", value: -90 } }),
      ruleChange(1),
      signalChange(1, { threshold: 0.3 }),
    );
    partition.news();
    expect(partition.strengths(-82).kinds()).toEqual(FAILED);
    expect(partition.strengths(-95).kinds()).toEqual(["alert.firing"]);
    expect(partition.strengths(-85).kinds()).toEqual(["alert.resolved"]);
    const events = partition.strengths(-95, -70).news();
    expect(events.map(({ event, data }) => [event, data.alert?.ruleId])).toEqual([
      ["alert.firing", ruleId(2)],
      ["alert.resolved", ruleId(1)],
      ["alert.resolved", ruleId(2)],
      ["signal.updated", undefined],
    ]);
    expect(events.at(-1)?.data.previous?.reasons?.map(({ kind }) => kind)).toEqual([
      "threshold",
      "rule",
      "rule",
    ]);
  });

  test("number their events 1, 2, 3 … and each one is as the API shows it", () => {
    const partition = new TestPartition().change(ruleChange(1), signalChange(1, { threshold: 0.3 }));
    partition.strengths(-95, -60, -95);
    const events = partition.news();
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1));
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    for (const event of events) expect(SignalServiceEvent.parse(event)).toEqual(event);
    expect(events.map(({ data }) => data.signal?.sequence)).toEqual(events.map(({ sequence }) => sequence));
  });
});

describe("a reading", () => {
  test("older than the signal's newest is counted and not evaluated; one as old is", () => {
    const partition = withRule();
    partition.after(10_000).read({ signal: 1, strength: -60 });
    expect(partition.read({ signal: 1, strength: -90, at: partition.now - 1 }).kinds()).toEqual([]);
    expect(partition.evaluation.counts).toEqual({ readings: 2, late: 1 });
    expect(partition.read({ signal: 1, strength: -90 }).kinds()).toEqual(FAILED);
  });

  test("tells the newest value of each signal once, until it is taken", () => {
    const partition = withRule();
    partition.evaluation.takeLive(10);
    partition.read({ signal: 1, strength: -60 }, { signal: 1, strength: -61 });
    expect(partition.evaluation.livePending).toBe(1);
    expect(partition.evaluation.takeLive(10)).toMatchObject([
      { strength: -61, atMs: START_MS, status: "active" },
    ]);
    expect(partition.evaluation.takeLive(10)).toEqual([]);
  });
});
