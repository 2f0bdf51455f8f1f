import { describe, expect, test } from "vitest";
import type { Change } from "../../../schemas/change.ts";
import { AlertId, SilenceId } from "../../../schemas/common.ts";
import { SilenceDefinition } from "../../../schemas/silence.ts";
import {
  accountId,
  ruleChange,
  ruleId,
  START_MS,
  signalChange,
  signalId,
  TestPartition,
} from "../../support/partition.ts";

const silenceId = (n: number) => SilenceId.parse(signalId(n).replace("sig_", "sil_"));
const iso = (ms: number) => new Date(ms).toISOString();

/** From the partition's beginning for ever, of everything, unless the overrides say otherwise. */
const silenced = (
  n: number,
  overrides: Partial<SilenceDefinition> = {},
  revision = 1,
  account = 1,
): Change => ({
  type: "silence",
  accountId: accountId(account),
  revision,
  silence: SilenceDefinition.parse({
    id: silenceId(n),
    select: {},
    ruleIds: null,
    from: iso(START_MS),
    until: iso(START_MS + 3_600_000),
    untilResolved: false,
    schedule: null,
    reason: "maintenance",
    ...overrides,
  }),
});
const unsilenced = (n: number, revision = 2): Change => ({
  type: "silenceDeleted",
  accountId: accountId(1),
  revision,
  silenceId: silenceId(n),
});

const LEVELS = {
  condition: { operator: "below" as const },
  levels: [
    { severity: "warning" as const, value: -80 },
    { severity: "critical" as const, value: -90 },
  ],
};

const ready = (...more: Change[]): TestPartition => {
  const partition = new TestPartition().change(ruleChange(1), signalChange(1), ...more);
  partition.news();
  return partition;
};

/** Events as words: what was held back in brackets, what is told again after a star. */
const told = (partition: TestPartition): string[] =>
  partition.news().map(({ event, data }) => {
    const held = data.silencedBy ?? data.heldBy;
    const again = data.repeatOf ?? data.alert?.repeatOf;
    return `${again === undefined ? "" : "*"}${held === undefined ? event : `(${event})`}`;
  });

describe("a silence", () => {
  test("holds everything of a covered signal back, and repeats what goes on at its end", () => {
    const partition = ready(silenced(1, { until: iso(START_MS + 60_000) }));
    partition.strengths(-90);
    const [firing, failed] = partition.news();
    expect([firing?.data.silencedBy, failed?.data.silencedBy]).toEqual([silenceId(1), silenceId(1)]);
    expect(told(partition.ticks(58))).toEqual([]);
    partition.ticks(1);
    const [again, failedAgain, ...rest] = partition.news();
    expect(again).toMatchObject({
      event: "alert.firing",
      data: { alert: { id: firing?.data.alert?.id, repeatOf: firing?.id } },
    });
    expect(failedAgain).toMatchObject({ event: "signal.failed", data: { repeatOf: failed?.id } });
    expect(rest).toEqual([]);
    expect(told(partition.strengths(-60))).toEqual(["alert.resolved", "signal.updated"]);
  });

  test("holds the end back of what nobody heard of, and tells the end of what somebody did", () => {
    const partition = ready(silenced(1));
    expect(told(partition.strengths(-90, -60))).toEqual([
      "(alert.firing)",
      "(signal.failed)",
      "(alert.resolved)",
      "(signal.updated)",
    ]);
    partition.change(unsilenced(1)).strengths(-90);
    expect(told(partition)).toEqual(["alert.firing", "signal.failed"]);
    partition.change(silenced(2)).strengths(-60);
    expect(told(partition)).toEqual(["alert.resolved", "signal.updated"]);
  });

  test.each([
    ["a label", { select: { labels: { site: "north" } } }],
    ["its id", { select: { signalIds: [signalId(1)] } }],
  ])("may name signals by %s", (_, overrides) => {
    const partition = ready(silenced(1, overrides), signalChange(2), ruleChange(2));
    partition.change(signalChange(1, { revision: 2, labels: { site: "north" } }));
    partition.news();
    partition.read({ signal: 1, strength: -90 });
    expect(told(partition).every((word) => word.startsWith("("))).toBe(true);
    partition.read({ signal: 2, strength: -90 });
    expect(told(partition).some((word) => word.startsWith("("))).toBe(false);
  });

  test("of one rule leaves the others, and the failure, to be heard", () => {
    const partition = ready(silenced(1, { ruleIds: [ruleId(1)] }), ruleChange(2));
    partition.strengths(-90);
    expect(told(partition)).toEqual(["(alert.firing)", "alert.firing", "signal.failed"]);
  });

  test("of the only rule that fails the signal holds the failure back too, until another condition joins", () => {
    const other = ruleChange(2, { condition: { operator: "below", value: -95 } });
    const partition = ready(silenced(1, { ruleIds: [ruleId(1)] }), other);
    expect(told(partition.strengths(-90))).toEqual(["(alert.firing)", "(signal.failed)"]);
    expect(told(partition.strengths(-96))).toEqual(["alert.firing", "*signal.failed"]);
    expect(told(partition.strengths(-60))).toEqual(["(alert.resolved)", "alert.resolved", "signal.updated"]);
  });

  test("begins and ends at its times, week after week if it recurs", () => {
    const schedule = { timeZone: "UTC", windows: [{ from: "00:01", to: "00:02" }] };
    const partition = ready(silenced(1, { until: null, schedule }));
    expect(told(partition.strengths(-90, -60))).toEqual(expect.not.arrayContaining(["(alert.firing)"]));
    partition.after(60_000);
    expect(told(partition.strengths(-90))).toEqual(["(alert.firing)", "(signal.failed)"]);
    expect(partition.evaluation.timePending).toBe(true);
    expect(told(partition.ticks(60))).toEqual(["*alert.firing", "*signal.failed"]);
    expect(told(partition.strengths(-60))).toEqual(["alert.resolved", "signal.updated"]);
    partition.after(86_400_000 - 60_000);
    expect(told(partition.strengths(-90))).toEqual(["(alert.firing)", "(signal.failed)"]);
  });

  test("until resolved covers what fires when it comes, and nothing after that", () => {
    const levels = [
      { severity: "warning" as const, value: -80 },
      { severity: "critical" as const, value: -90 },
    ];
    const partition = ready(ruleChange(2, { condition: { operator: "below" }, levels, failsSignal: false }));
    partition.strengths(-85);
    partition.news();
    partition.change(silenced(1, { ruleIds: [ruleId(2)], until: null, untilResolved: true }));
    expect(told(partition.strengths(-95))).toEqual(["(alert.firing)"]);
    // Somebody heard that it began: so they hear that it is over.
    expect(told(partition.strengths(-60))).toContain("alert.resolved");
    expect(told(partition.strengths(-95))).not.toContain("(alert.firing)");
  });

  test("until resolved that is taken back tells what it held", () => {
    const levels = [
      { severity: "warning" as const, value: -80 },
      { severity: "critical" as const, value: -90 },
    ];
    const partition = new TestPartition().change(
      ruleChange(1, { condition: { operator: "below" }, levels }),
      signalChange(1),
    );
    partition.strengths(-85).change(silenced(1, { until: null, untilResolved: true }));
    partition.news();
    expect(told(partition.strengths(-95))).toEqual(["(alert.firing)"]);
    partition.change(unsilenced(1));
    const [again] = partition.news();
    expect(again?.data.alert).toMatchObject({
      severity: "critical",
      repeatOf: expect.stringMatching(/^evt_/),
    });
  });

  test("until resolved that is changed takes nothing that fires by then, however often", () => {
    const forNow = { until: null, untilResolved: true };
    const partition = ready(ruleChange(1, LEVELS, 2))
      .strengths(-85)
      .change(silenced(1, forNow))
      .strengths(-60);
    partition.strengths(-85).change(silenced(1, { ...forNow, reason: "still at it" }, 2));
    partition.news();
    expect(told(partition.strengths(-95))).toEqual(["alert.firing"]);
    partition.strengths(-60).change(silenced(2, forNow), silenced(2, { ...forNow, reason: "again" }, 2));
    partition.news();
    expect(told(partition.strengths(-85, -95))).toEqual(["alert.firing", "signal.failed", "alert.firing"]);
  });

  test("until resolved that is narrowed lets go what it covers no more, and widened does not take it back", () => {
    const forNow = { until: null, untilResolved: true };
    const partition = ready(ruleChange(1, LEVELS, 2))
      .strengths(-85)
      .change(silenced(1, forNow))
      .strengths(-95);
    partition.news();
    partition.change(silenced(1, { ...forNow, ruleIds: [ruleId(2)] }, 2));
    expect(told(partition)).toEqual(["*alert.firing"]);
    partition.change(silenced(1, forNow, 3));
    expect(told(partition.strengths(-85))).toEqual(["alert.firing"]);
  });

  test("that is shortened ends earlier, and a copy of an old one does nothing", () => {
    const partition = ready(silenced(1));
    partition.strengths(-90);
    partition.news();
    partition.change(silenced(1, { until: iso(START_MS + 500) }, 2));
    expect(told(partition)).toEqual(["*alert.firing", "*signal.failed"]);
    partition.change(silenced(1), unsilenced(1, 3), silenced(1, {}, 2)).strengths(-60, -90);
    expect(told(partition).some((word) => word.startsWith("("))).toBe(false);
  });

  test("of another account covers nothing", () => {
    const partition = ready(silenced(1, {}, 1, 2));
    expect(told(partition.strengths(-90))).toEqual(["alert.firing", "signal.failed"]);
  });
});

describe("a rule that flaps", () => {
  /** Up and down once: two changes. */
  const swing = (partition: TestPartition, times = 1): TestPartition => {
    for (let time = 0; time < times; time++) partition.strengths(-90, -60);
    return partition;
  };

  test("says so with its seventh change, holds the further ones back, and sums them up when it is calm", () => {
    const partition = swing(ready(), 3);
    const before = partition.news();
    expect(before.every(({ data }) => data.heldBy === undefined)).toBe(true);
    partition.strengths(-90);
    const [seventh] = partition.news();
    expect(seventh?.data.alert?.flapping).toMatchObject({ state: "began", changes: 7 });
    partition.strengths(-60);
    expect(told(swing(partition, 2))).toEqual([
      "(alert.resolved)",
      "signal.updated",
      "(alert.firing)",
      "(signal.failed)",
      "(alert.resolved)",
      "(signal.updated)",
      "(alert.firing)",
      "(signal.failed)",
      "(alert.resolved)",
      "(signal.updated)",
    ]);
    partition.ticks(599);
    expect(told(partition)).toEqual([]);
    partition.ticks(1);
    const [summary, ...rest] = partition.news();
    expect(rest).toEqual([]);
    expect(summary).toMatchObject({
      event: "alert.resolved",
      data: { alert: { id: seventh?.data.alert?.id, flapping: { state: "ended", changes: 12 } } },
    });
    expect(told(partition.strengths(-90))).toEqual(["alert.firing", "signal.failed"]);
  });

  test("that fires when it is calm tells so, with the failure", () => {
    const partition = swing(ready(), 4).strengths(-90);
    partition.news();
    expect(told(partition.ticks(600))).toEqual(["*alert.firing", "*signal.failed"]);
    expect(told(partition.strengths(-60))).toEqual(["alert.resolved", "signal.updated"]);
  });

  test("counts steps of severity as well: each of them is told", () => {
    const partition = ready(ruleChange(1, LEVELS, 2));
    for (let time = 0; time < 10; time++) partition.strengths(-95, -86);
    const events = partition.news().filter(({ event }) => event === "alert.firing");
    const told = events.filter(({ data }) => data.heldBy === undefined);
    expect([events.length, told.length]).toEqual([20, 7]);
    expect(told.at(-1)?.data.alert).toMatchObject({
      previousSeverity: "warning",
      flapping: { state: "began", changes: 7 },
    });
    partition.ticks(600);
    expect(partition.news()).toMatchObject([
      {
        event: "alert.firing",
        data: {
          alert: {
            severity: "warning",
            repeatOf: events.at(-1)?.id,
            flapping: { state: "ended", changes: 20 },
          },
        },
      },
    ]);
  });

  test("is none if its changes are far enough apart by either clock", () => {
    const partition = ready();
    let at = START_MS;
    for (let change = 0; change < 20; change++) {
      at += 101_000;
      partition.read({ signal: 1, strength: change % 2 === 0 ? -90 : -60, at });
    }
    expect(partition.news().every(({ data }) => data.heldBy === undefined)).toBe(true);
  });

  test("is calm once a reading comes that is late enough by its own time", () => {
    const partition = swing(ready(), 4);
    partition.news();
    partition.after(301_000);
    partition.read({ signal: 1, strength: -60, at: partition.now + 299_000 });
    expect(told(partition)).toEqual(["alert.resolved"]);
  });

  test("is left alone where the rule says so", () => {
    const partition = ready(ruleChange(1, { flapDetection: false }, 2));
    expect(told(swing(partition, 10)).some((word) => word.startsWith("("))).toBe(false);
  });
});

describe("an acknowledgement", () => {
  const acknowledged = (alertId: string, by = "key_1"): Change => ({
    type: "acknowledged",
    accountId: accountId(1),
    signalId: signalId(1),
    alertId: AlertId.parse(alertId),
    at: START_MS,
    by,
    note: "on it",
  });

  test("is told once, and stays with the alert", () => {
    const partition = ready().strengths(-90);
    const id = partition.news()[0]?.data.alert?.id ?? "";
    partition.change(acknowledged(id), acknowledged(id, "key_2"));
    const word = { at: iso(START_MS), by: "key_1", note: "on it" };
    expect(partition.news()).toMatchObject([
      { event: "alert.acknowledged", data: { alert: { id, state: "firing", acknowledged: word } } },
    ]);
    partition.strengths(-60);
    expect(partition.news()[0]?.data.alert).toMatchObject({ state: "resolved", acknowledged: word });
    partition.change(acknowledged(id));
    expect(partition.news()).toEqual([]);
  });
});
