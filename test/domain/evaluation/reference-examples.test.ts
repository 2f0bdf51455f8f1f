import { describe, expect, test } from "vitest";
import type { ruleChange } from "../../support/partition.ts";
import { ruleId, signalId, sourceId } from "../../support/partition.ts";
import { ReferenceHistory, silenceId } from "../../support/reference/history.ts";
import { isOpen } from "../../support/reference/schedule.ts";

const FAILED = ["alert.firing", "signal.failed"];
const RECOVERED = ["alert.resolved", "signal.updated"];

/** Signal 1 and rule 1; what their making told is forgotten. */
const withRule = (settings: Parameters<typeof ruleChange>[1] = {}): ReferenceHistory => {
  const history = new ReferenceHistory().rule(1, settings).signal(1);
  history.news();
  return history;
};
const condition = (operator: "below" | "above" | "outside" | "change" | "noData", rest: object = {}) => ({
  condition: { operator, ...rest },
});

describe("the reference's limits", () => {
  const table: [string, Parameters<typeof ruleChange>[1], [number, string[]][]][] = [
    [
      "below",
      {},
      [
        [-80, []],
        [-80.1, FAILED],
        [-77.1, []],
        [-77, RECOVERED],
      ],
    ],
    [
      "above",
      condition("above", { value: -60 }),
      [
        [-60, []],
        [-59.9, FAILED],
        [-62.9, []],
        [-63, RECOVERED],
      ],
    ],
    [
      "outside",
      condition("outside", { value: -80, upper: -60, hysteresis: 2 }),
      [
        [-80, []],
        [-81, FAILED],
        [-59, []],
        [-61, []],
        [-62, RECOVERED],
        [-59, FAILED],
        [-70, RECOVERED],
      ],
    ],
    [
      "quality",
      condition("below", { metric: "quality", value: 0.4 }),
      [
        [-80, []],
        [-80.5, FAILED],
        [-78, []],
        [-77.5, RECOVERED],
      ],
    ],
    [
      "the edge of the range",
      condition("below", { metric: "quality", value: 0.98 }),
      [
        [-55, FAILED],
        [-50, RECOVERED],
      ],
    ],
    ["Float32", condition("below", { value: -80.1 }), [[-80.1, []]]],
    [
      "a rule that fails nothing",
      { failsSignal: false },
      [
        [-90, ["alert.firing"]],
        [-70, ["alert.resolved"]],
      ],
    ],
  ];
  test.each(table)("%s", (_, settings, steps) => {
    const history = withRule(settings);
    for (const [strength, kinds] of steps)
      expect.soft(history.strengths(strength).kinds(), `at ${strength}`).toEqual(kinds);
  });

  test("of a signal's own label, else of the rule, else none", () => {
    const history = new ReferenceHistory().rule(
      1,
      condition("below", { valueFrom: { label: "limit" }, value: -80 }),
    );
    history.rule(2, condition("below", { valueFrom: { label: "limit" } }));
    for (const [n, limit] of [" -95.5 ", "0x10", "-300", "", "abc"].entries())
      history.signal(n + 1, { labels: { limit } });
    history.signal(9);
    history.news();
    for (const n of [1, 2, 3, 4, 5, 9]) history.after(1_000).read(n, -90).after(1_000).read(n, -96);
    const firing = history.news().filter(({ event }) => event === "alert.firing");
    expect(firing.map(({ signalId: id, data }) => [id, data.alert?.ruleName, data.alert?.limit])).toEqual([
      [signalId(1), "rule 1", -95.5],
      [signalId(1), "rule 2", -95.5],
      ...[2, 3, 4, 5, 9].map((n) => [signalId(n), "rule 1", -80]),
    ]);
  });
});

describe("the reference's change", () => {
  const jump = condition("change", { value: 10, overSeconds: 12 });

  test("fires beyond its value against any reading of the window, and clears with hysteresis", () => {
    const history = withRule(jump);
    expect(history.strengths(-80, -70).kinds()).toEqual([]);
    expect(
      history
        .strengths(-69.9)
        .news()
        .map(({ data }) => data.alert?.value),
    ).toEqual([10.1, undefined]);
    expect(history.strengths(-72.9).kinds()).toEqual([]);
    expect(history.strengths(-76).kinds()).toEqual(RECOVERED);
  });

  test("looks back twelve steps by the readings' own time", () => {
    const at = Date.parse("2026-01-01T00:00:00Z");
    for (const [later, kinds] of [
      [12_999, FAILED],
      [13_000, []],
    ] as const) {
      const history = withRule(jump).read(1, -90, at);
      expect(
        history
          .after(later)
          .read(1, -70, at + later)
          .kinds(),
      ).toEqual(kinds);
    }
  });

  test("has a direction", () => {
    const fall = condition("change", { value: 10, overSeconds: 60, direction: "fall" });
    expect(withRule(fall).strengths(-90, -60).kinds()).toEqual([]);
    expect(withRule(fall).strengths(-60, -90).kinds()).toEqual(FAILED);
  });
});

describe("the reference's levels", () => {
  const levels = {
    condition: { operator: "below" as const },
    levels: [
      { severity: "warning" as const, value: -80 },
      { severity: "critical" as const, value: -90 },
    ],
  };
  const told = (history: ReferenceHistory) =>
    history
      .news()
      .flatMap(({ event, data: { alert } }) =>
        alert === undefined
          ? []
          : [[event, alert.nth, alert.severity, alert.previousSeverity, alert.limit, alert.value]],
      );

  test("step up and down within one alert", () => {
    expect(told(withRule(levels).strengths(-85, -95, -88, -87, -60))).toEqual([
      ["alert.firing", 1, "warning", undefined, -80, -85],
      ["alert.firing", 1, "critical", "warning", -90, -95],
      ["alert.firing", 1, "warning", "critical", -80, -87],
      ["alert.resolved", 1, "warning", undefined, -80, -60],
    ]);
    expect(told(withRule(levels).strengths(-95, -60))).toEqual([
      ["alert.firing", 1, "critical", undefined, -90, -95],
      ["alert.resolved", 1, "critical", undefined, -90, -60],
    ]);
  });

  test("wait each for themselves", () => {
    const history = withRule({ ...levels, forSeconds: 10 });
    history.strengths(-85, -85, -95).ticks(15);
    expect(told(history).map(([, , severity]) => severity)).toEqual(["warning", "critical"]);
  });
});

describe("the reference's waits", () => {
  test("are over by either clock, and a late good reading ends what has fired", () => {
    const history = withRule({ forSeconds: 10 }).read(1, -90);
    expect(history.ticks(9).kinds()).toEqual([]);
    expect(history.ticks(1).kinds()).toEqual(FAILED);
    const captured = withRule({ forSeconds: 10 });
    captured.read(1, -90, captured.now - 20_000).read(1, -60, captured.now);
    expect(captured.kinds()).toEqual([...FAILED, ...RECOVERED]);
  });

  test("are ended by a value that does not fire, and kept up by one that does not clear", () => {
    const history = withRule({ forSeconds: 10, keepFiringForSeconds: 10 });
    history.strengths(-90, -79).ticks(20);
    expect(history.kinds()).toEqual([]);
    history.strengths(-90).ticks(10).strengths(-60).ticks(5).strengths(-78).ticks(20);
    expect(history.kinds()).toEqual(FAILED);
    expect(history.strengths(-60).ticks(10).kinds()).toEqual(RECOVERED);
  });
});

describe("the reference's no data", () => {
  test("counts 5 s at most between two records, and stands still while the source is held back", () => {
    const history = new ReferenceHistory().signal(1, { noDataAfterSeconds: 10, sourceId: sourceId(1) });
    history.read(1, -60).after(3_600_000).ticks(4);
    expect(history.kinds()).toEqual(["signal.created"]);
    history.holdSource(1, true).ticks(60).holdSource(1, false);
    expect(history.kinds()).toEqual([]);
    expect(history.ticks(2).news()[0]?.data.reasons).toMatchObject([{ kind: "noData", value: 10 }]);
    expect(history.read(1, -60, history.now - 500_000).kinds()).toEqual(["signal.updated"]);
  });

  test("of a rule tells how long the silence was, and waits for its schedule to open", () => {
    const history = withRule(condition("noData", { overSeconds: 10 }))
      .read(1, -60)
      .ticks(12)
      .read(1, -60);
    expect(history.news().map(({ event, data }) => [event, data.alert?.value, data.alert?.limit])).toEqual([
      ["alert.firing", 10, 10],
      ["signal.failed", undefined, undefined],
      ["alert.resolved", 12, 10],
      ["signal.updated", undefined, undefined],
    ]);
    const schedule = { timeZone: "UTC", windows: [{ from: "00:01", to: "00:02" }] };
    const closed = withRule({ ...condition("noData", { overSeconds: 10 }), schedule }).read(1, -60);
    expect(closed.ticks(59).kinds()).toEqual([]);
    expect(closed.ticks(1).kinds()).toEqual(FAILED);
    const read = withRule({ ...condition("noData", { overSeconds: 10 }), schedule }).read(1, -60);
    expect(read.ticks(55).read(1, -60).ticks(9).kinds()).toEqual([]);
  });
});

describe("the reference's schedule", () => {
  const open = (timeZone: string, from: string, to: string, ...times: string[]) =>
    times.map((time) => isOpen({ timeZone, windows: [{ from, to }] }, Date.parse(time)));

  test("goes past midnight, and names the days on which windows begin", () => {
    const schedule = {
      timeZone: "Europe/Berlin",
      windows: [{ days: ["fri" as const], from: "22:00", to: "06:00" }],
    };
    const times = [
      "2026-06-05T20:00Z",
      "2026-06-06T03:59Z",
      "2026-06-06T04:00Z",
      "2026-06-06T20:00Z",
      "2026-06-05T19:59Z",
    ];
    expect(times.map((time) => isOpen(schedule, Date.parse(time)))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test("begins after the gap of spring when its time does not exist", () => {
    const times = ["2026-03-29T00:59Z", "2026-03-29T01:00Z", "2026-03-29T01:59Z", "2026-03-29T02:00Z"];
    expect(open("Europe/Berlin", "02:30", "04:00", ...times)).toEqual([false, true, true, false]);
    expect(open("Europe/Berlin", "02:10", "02:50", ...times)).toEqual([false, false, false, false]);
  });

  test("takes the first of two times in autumn", () => {
    const times = ["2026-10-25T00:29Z", "2026-10-25T00:30Z", "2026-10-25T01:29Z", "2026-10-25T02:00Z"];
    expect(open("Europe/Berlin", "02:30", "03:00", ...times)).toEqual([false, true, true, false]);
    const ends = ["2026-10-25T00:29Z", "2026-10-25T00:30Z", "2026-10-25T01:00Z"];
    expect(open("Europe/Berlin", "01:00", "02:30", ...ends)).toEqual([true, false, false]);
  });

  test("knows half an hour of daylight saving", () => {
    const spring = ["2026-10-03T15:29Z", "2026-10-03T15:30Z", "2026-10-03T15:59Z", "2026-10-03T16:00Z"];
    expect(open("Australia/Lord_Howe", "02:15", "03:00", ...spring)).toEqual([false, true, true, false]);
  });

  test("ends everything of the rule at a reading outside of it, and lets nothing fire whose wait is over there", () => {
    const schedule = { timeZone: "UTC", windows: [{ from: "00:00", to: "00:01" }] };
    const history = withRule({ schedule }).strengths(-90).ticks(57);
    expect(history.kinds()).toEqual(FAILED);
    const [resolved] = history.strengths(-90, -90).news();
    expect(resolved).toMatchObject({
      createdAt: "2026-01-01T00:01:00.000Z",
      data: { alert: { resolveReason: "schedule" } },
    });
    expect(history.strengths(-90).kinds()).toEqual([]);
    const waiting = withRule({ schedule, forSeconds: 30 }).ticks(50).read(1, -90).ticks(30);
    expect(waiting.kinds()).toEqual([]);
    const late = withRule({ schedule, forSeconds: 9 }).ticks(50).read(1, -90).after(30_000).ticks(1);
    expect(late.kinds()).toEqual(FAILED);
  });
});

test("the reference's no data waits for its schedule while the source is held back", () => {
  const schedule = { timeZone: "UTC", windows: [{ from: "00:01", to: "00:02" }] };
  const history = new ReferenceHistory().rule(1, { ...condition("noData", { overSeconds: 2 }), schedule });
  history
    .signal(1, { sourceId: sourceId(1) })
    .read(1, -50)
    .ticks(3)
    .holdSource(1, true);
  history.news();
  expect(history.ticks(56).kinds()).toEqual([]);
  expect(history.ticks(1).kinds()).toEqual(FAILED);
});

describe("the reference's silences", () => {
  test("hold what begins under them, and tell it when they end", () => {
    const history = withRule().silence(2, { untilMs: Date.parse("2026-01-01T00:00:10Z") });
    history.silence(1, { untilMs: Date.parse("2026-01-01T00:00:05Z") }).strengths(-90);
    const silenced = history.news();
    expect(silenced.map(({ data }) => data.silencedBy)).toEqual([silenceId(1), silenceId(1)]);
    expect(history.ticks(8).kinds()).toEqual([]);
    const again = history.ticks(1).news();
    expect(
      again.map(({ event, data }) => [event, data.alert?.nth, data.alert?.repeatOf ?? data.repeatOf]),
    ).toEqual([
      ["alert.firing", 1, silenced[0]?.sequence],
      ["signal.failed", undefined, silenced[1]?.sequence],
    ]);
    expect(history.strengths(-60).kinds()).toEqual(RECOVERED);
  });

  test("hold the end only of what nobody heard of", () => {
    const unheard = withRule().silence(1).strengths(-90, -60);
    expect(unheard.kinds()).toEqual([
      "alert.firing (silenced)",
      "signal.failed (silenced)",
      "alert.resolved (silenced)",
      "signal.updated (silenced)",
    ]);
    expect(withRule().strengths(-90).silence(1).strengths(-60).kinds()).toEqual([...FAILED, ...RECOVERED]);
  });

  test("until resolved cover what fires when they come, and nothing else", () => {
    const levels = {
      condition: { operator: "below" as const },
      levels: [
        { severity: "warning" as const, value: -80 },
        { severity: "critical" as const, value: -90 },
      ],
    };
    const history = withRule(levels)
      .strengths(-85)
      .silence(1, { untilResolved: true })
      .strengths(-95, -60, -85);
    expect(history.kinds()).toEqual([...FAILED, "alert.firing (silenced)", ...RECOVERED, ...FAILED]);
  });

  test("of rules cover no failure for another reason, which is told as soon as it joins", () => {
    const history = new ReferenceHistory().rule(1).signal(1, { threshold: 0.1 });
    history.silence(1, { ruleIds: [ruleId(1)] });
    history.news();
    history.strengths(-90);
    expect(history.kinds()).toEqual(["alert.firing (silenced)", "signal.failed (silenced)"]);
    expect(history.strengths(-96).kinds()).toEqual(["signal.failed again"]);
    expect(history.strengths(-60).kinds()).toEqual(["alert.resolved (silenced)", "signal.updated"]);
  });

  test("recur with their schedule, by append time", () => {
    const schedule = { timeZone: "UTC", windows: [{ from: "00:00", to: "00:01" }] };
    const history = withRule().silence(1, { schedule }).read(1, -90);
    history.news();
    expect(history.ticks(59).kinds()).toEqual([]);
    expect(history.ticks(1).kinds()).toEqual(["alert.firing again", "signal.failed again"]);
  });

  test("that go, or change, tell what they held in the order of the signals", () => {
    const history = new ReferenceHistory().rule(1, { failsSignal: false }).signal(2).signal(1).silence(1);
    history.read(2, -90).read(1, -90);
    history.news();
    const again = history.deleteSilence(1).news();
    expect(again.map(({ signalId: id }) => id)).toEqual([signalId(1), signalId(2)]);
  });
});

describe("the reference's flapping", () => {
  const flips = (history: ReferenceHistory, count: number) => {
    for (let i = 0; i < count; i++) history.strengths(i % 2 === 0 ? -90 : -60);
    return history;
  };

  test("begins at the seventh change, holds what follows, and is summed up when calm", () => {
    const history = flips(withRule({ failsSignal: false }), 7);
    const began = history.news();
    expect(began.map(({ data }) => data.alert?.flapping)).toEqual([
      ...Array.from({ length: 6 }, () => undefined),
      { state: "began", changes: 7, since: "2026-01-01T00:00:01.000Z" },
    ]);
    history.strengths(-60, -90);
    expect(history.news().map(({ event, data }) => [event, data.heldBy, data.alert?.nth])).toEqual([
      ["alert.resolved", "flapping", 4],
      ["alert.firing", "flapping", 4],
    ]);
    expect(history.ticks(599).kinds()).toEqual([]);
    const [calm, ...more] = history.ticks(1).news();
    expect(more).toEqual([]);
    expect(calm?.data.alert).toMatchObject({
      state: "firing",
      repeatOf: 10,
      flapping: { state: "ended", changes: 9, since: "2026-01-01T00:00:01.000Z" },
    });
    expect(history.strengths(-60).kinds()).toEqual(["alert.resolved"]);
  });

  test("is not six changes, nor seven in more than ten minutes by one of the clocks, nor asked for", () => {
    const none = (history: ReferenceHistory) =>
      history.news().every(({ data }) => data.alert?.flapping === undefined);
    expect(none(flips(withRule(), 6))).toBe(true);
    expect(none(flips(flips(withRule(), 6).after(600_000), 1))).toBe(true);
    expect(none(flips(withRule({ flapDetection: false }), 9))).toBe(true);
  });

  test("ends with the rule, and whoever heard of it hears the end", () => {
    const history = flips(withRule({ failsSignal: false }), 8);
    history.news();
    const [ended, ...more] = history.deleteRule(1).news();
    expect(more).toEqual([]);
    expect(ended).toMatchObject({
      event: "alert.resolved",
      data: { alert: { flapping: { state: "ended" } } },
    });
    expect(ended?.data.heldBy).toBeUndefined();
  });
});

describe("the reference's acknowledgement", () => {
  test("counts once, and stays with the alert", () => {
    const history = withRule({ failsSignal: false })
      .acknowledge(1, 1)
      .strengths(-90)
      .acknowledge(1, 1)
      .acknowledge(1, 1);
    history.acknowledge(1, 1, 2).strengths(-60);
    expect(history.news().map(({ event, data }) => [event, data.alert?.acknowledged?.by])).toEqual([
      ["alert.firing", undefined],
      ["alert.acknowledged", "key"],
      ["alert.resolved", "key"],
    ]);
  });
});

describe("the reference's changes", () => {
  test("of a rule, of what it selects, and of the signal resolve with their reason", () => {
    const reason = (history: ReferenceHistory) =>
      history.news().find(({ event }) => event === "alert.resolved")?.data.alert?.resolveReason;
    const firing = (settings: Parameters<typeof ruleChange>[1] = {}) => withRule(settings).strengths(-90);
    expect(reason(firing().rule(1, { severity: "critical" }))).toBe("ruleChanged");
    expect(reason(firing().rule(1, { name: "other" }))).toBeUndefined();
    expect(reason(firing().deleteRule(1))).toBe("ruleDeleted");
    expect(reason(firing().signal(1, { paused: true }))).toBe("paused");
    const selective = new ReferenceHistory()
      .rule(1, { select: { labels: { a: "1" } } })
      .signal(1, { labels: { a: "1" } });
    expect(reason(selective.strengths(-90).signal(1))).toBe("ruleChanged");
  });

  test("of the threshold judge the newest reading afresh", () => {
    const history = new ReferenceHistory().signal(1, { threshold: 0.3 }).strengths(-90);
    expect(history.kinds()).toEqual(["signal.created", "signal.failed"]);
    expect(history.signal(1, { threshold: 0.2 }).kinds()).toEqual(["signal.updated"]);
    expect(history.signal(1, { threshold: 0.4 }).kinds()).toEqual(["signal.updated", "signal.failed"]);
  });
});
