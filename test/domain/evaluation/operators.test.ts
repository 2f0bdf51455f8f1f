import { describe, expect, test } from "vitest";
import type { RuleCreate } from "../../../schemas/rule.ts";
import { ruleChange, signalChange, TestPartition } from "../../support/partition.ts";

type Rule = Partial<typeof RuleCreate._zod.input>;

const withRule = (overrides: Rule, signal: Parameters<typeof signalChange>[1] = {}): TestPartition => {
  const partition = new TestPartition().change(ruleChange(1, overrides), signalChange(1, signal));
  partition.news();
  return partition;
};

/** Of each alert event since the last call: kind, severity and, after a step, the one before; value and limit. */
const alerts = (partition: TestPartition) =>
  partition.news().flatMap(({ event, data: { alert } }) => {
    if (alert === undefined) return [];
    const { severity, previousSeverity, value, limit } = alert;
    return [
      [event, previousSeverity === undefined ? severity : `${previousSeverity} > ${severity}`, value, limit],
    ];
  });

describe("a rule with levels", () => {
  const levels: Rule = {
    condition: { operator: "below", hysteresis: 3 },
    levels: [
      { severity: "info", value: -70 },
      { severity: "warning", value: -80 },
      { severity: "critical", value: -90 },
    ],
  };

  test("is one alert that steps up and down, each with the hysteresis", () => {
    const partition = withRule(levels);
    const ids = new Set<string>();
    const steps = [-71, -79, -81, -95, -88, -87, -78, -77, -68, -67].map((strength) => {
      partition.strengths(strength);
      const news = partition.news();
      for (const { data } of news) if (data.alert !== undefined) ids.add(data.alert.id);
      return news.flatMap(({ event, data: { alert } }) =>
        alert === undefined
          ? []
          : [`${event} ${alert.previousSeverity ?? ""}>${alert.severity} ${alert.limit}`],
      );
    });
    expect(steps).toEqual([
      ["alert.firing >info -70"],
      [],
      ["alert.firing info>warning -80"],
      ["alert.firing warning>critical -90"],
      [],
      ["alert.firing critical>warning -80"],
      [],
      ["alert.firing warning>info -70"],
      [],
      ["alert.resolved >info -70"],
    ]);
    expect(ids.size).toBe(1);
  });

  test("fires at the level that a reading reaches at once", () => {
    const partition = withRule(levels);
    expect(alerts(partition.strengths(-95))).toEqual([["alert.firing", "critical", -95, -90]]);
    expect(alerts(partition.strengths(-60))).toEqual([["alert.resolved", "critical", -60, -90]]);
  });

  test("waits for each level by itself", () => {
    const partition = withRule({ ...levels, forSeconds: 10 });
    partition.strengths(-75).ticks(5);
    partition.strengths(-95);
    expect(alerts(partition.ticks(4))).toEqual([["alert.firing", "info", -95, -70]]);
    expect(alerts(partition.ticks(6))).toEqual([["alert.firing", "info > critical", -95, -90]]);
  });
});

describe("a rule on change", () => {
  test("fires when the strength has moved too far within its span, and clears once that is over", () => {
    const partition = withRule({ condition: { operator: "change", value: 10, overSeconds: 12 } });
    partition.strengths(-60, -65, -70);
    expect(alerts(partition)).toEqual([]);
    expect(alerts(partition.strengths(-70.5))).toEqual([["alert.firing", "warning", 10.5, 10]]);
    expect(alerts(partition.strengths(-68))).toEqual([]);
    for (let second = 0; second < 12; second++) partition.strengths(-68);
    expect(alerts(partition)).toEqual([["alert.resolved", "warning", expect.any(Number), 10]]);
  });

  test.each([
    ["rise", [-80, -60], 1],
    ["rise", [-60, -80], 0],
    ["fall", [-60, -80], 1],
    ["fall", [-80, -60], 0],
    ["either", [-80, -60], 1],
    ["either", [-60, -80], 1],
  ] as const)("looks at a %s from %j", (direction, strengths, count) => {
    const partition = withRule({ condition: { operator: "change", value: 10, overSeconds: 60, direction } });
    expect(alerts(partition.strengths(...strengths))).toHaveLength(count);
  });

  test("forgets what is older than its span, and what came before a pause", () => {
    const partition = withRule({ condition: { operator: "change", value: 10, overSeconds: 12 } });
    partition.strengths(-60).after(14_000);
    expect(alerts(partition.strengths(-80))).toEqual([]);
    partition.change(signalChange(1, { revision: 2, paused: true }), signalChange(1, { revision: 3 }));
    expect(alerts(partition.strengths(-60))).toEqual([]);
  });
});

describe("a rule on no data", () => {
  const silent: Rule = { condition: { operator: "noData", overSeconds: 30 } };

  test("fires after so much silence, and clears at the next reading", () => {
    const partition = withRule(silent);
    expect(alerts(partition.ticks(60))).toEqual([]);
    partition.strengths(-60);
    expect(alerts(partition.ticks(29))).toEqual([]);
    expect(alerts(partition.ticks(1))).toEqual([["alert.firing", "warning", 30, 30]]);
    expect(alerts(partition.ticks(60))).toEqual([]);
    expect(alerts(partition.strengths(-60))).toEqual([["alert.resolved", "warning", 91, 30]]);
    expect(alerts(partition.ticks(30))).toEqual([["alert.firing", "warning", 30, 30]]);
  });

  test("stands beside the signal's own", () => {
    const partition = withRule(silent, { noDataAfterSeconds: 10 });
    partition.strengths(-60).ticks(10);
    expect(partition.kinds()).toEqual(["signal.failed"]);
    partition.ticks(20);
    expect(partition.kinds()).toEqual(["alert.firing"]);
    partition.strengths(-60);
    expect(partition.kinds()).toEqual(["alert.resolved", "signal.updated"]);
  });

  test("keeps firing as long as it says, and goes on when silence returns", () => {
    const partition = withRule({ ...silent, keepFiringForSeconds: 40 });
    partition.strengths(-60).ticks(30);
    expect(alerts(partition)).toHaveLength(1);
    partition.strengths(-60);
    expect(alerts(partition.ticks(35))).toEqual([]);
    expect(alerts(partition.strengths(-60).ticks(5))).toEqual([]);
    expect(partition.strengths(-60).ticks(41).kinds()).toEqual([]);
  });

  test("waits for its schedule to open", () => {
    // The partition begins on 2026-01-01 at 00:00 in UTC.
    const schedule = { timeZone: "UTC", windows: [{ from: "00:02", to: "01:00" }] };
    const partition = withRule({ ...silent, schedule });
    partition.strengths(-60);
    expect(alerts(partition.ticks(118))).toEqual([]);
    expect(alerts(partition.ticks(1))).toEqual([["alert.firing", "warning", 119, 30]]);
  });
});

describe("a limit of the signal's own", () => {
  const own: Rule = { condition: { operator: "below", valueFrom: { label: "minDbm" }, hysteresis: 0 } };

  test.each([
    ["-70", [-71], 1],
    ["-70", [-69], 0],
    [" -7e1 ", [-71], 1],
    ["-300", [-199], 0],
    ["low", [-199], 0],
    ["", [-199], 0],
  ] as const)("is the number in its label: %j", (minDbm, strengths, count) => {
    expect(alerts(withRule(own, { labels: { minDbm } }).strengths(...strengths))).toHaveLength(count);
  });

  test("may fall back to the rule's", () => {
    const rule: Rule = { condition: { operator: "below", value: -90, valueFrom: { label: "minDbm" } } };
    expect(alerts(withRule(rule).strengths(-91))).toEqual([["alert.firing", "warning", -91, -90]]);
  });

  test("is another one when the label changes: the alert goes on, and the next reading is compared with it", () => {
    const partition = withRule(own, { labels: { minDbm: "-70" } });
    expect(alerts(partition.strengths(-75))).toEqual([["alert.firing", "warning", -75, -70]]);
    partition.change(signalChange(1, { revision: 2, labels: { minDbm: "-80" } }));
    expect(alerts(partition)).toEqual([]);
    expect(alerts(partition.strengths(-79))).toEqual([["alert.resolved", "warning", -79, -80]]);
    expect(alerts(partition.strengths(-81))).toEqual([["alert.firing", "warning", -81, -80]]);
    partition.change(signalChange(1, { revision: 3, labels: {} }));
    expect(partition.news().map(({ data }) => data.alert?.resolveReason)).toContain("ruleChanged");
  });
});

describe("a band of a signal's own limits", () => {
  const band: Rule = {
    condition: { operator: "outside", valueFrom: { label: "low" }, upperFrom: { label: "high" } },
  };
  const within = (low: string, high: string) => withRule(band, { labels: { low, high } });

  test("that is too narrow for the hysteresis is cleared in its middle half", () => {
    const partition = within("-80", "-76");
    expect(partition.strengths(-81, -79.1).kinds()).toEqual(["alert.firing", "signal.failed"]);
    expect(partition.strengths(-79).kinds()).toEqual(["alert.resolved", "signal.updated"]);
    expect(partition.strengths(-75, -76.9).kinds()).toEqual(["alert.firing", "signal.failed"]);
    expect(partition.strengths(-77).kinds()).toEqual(["alert.resolved", "signal.updated"]);
  });

  test("that is wide enough is cleared within its hysteresis", () => {
    const partition = within("-80", "-73");
    expect(partition.strengths(-81, -77.1).kinds()).toEqual(["alert.firing", "signal.failed"]);
    expect(partition.strengths(-77).kinds()).toEqual(["alert.resolved", "signal.updated"]);
  });

  test("that moves while one waits outside of it to fire: the end that is nearer is told", () => {
    const partition = withRule({ ...band, forSeconds: 60 }, { labels: { low: "-85", high: "-78" } });
    partition.strengths(-70).change(signalChange(1, { revision: 2, labels: { low: "-85", high: "-60" } }));
    expect(alerts(partition.ticks(61))).toEqual([["alert.firing", "warning", -70, -60]]);
  });

  test("that holds every value is none", () => {
    const partition = within("-80", "-60").strengths(-90);
    partition.news();
    partition.change(signalChange(1, { revision: 2, labels: { low: "-200", high: "50" } }));
    expect(partition.news().map(({ data }) => data.alert?.resolveReason)).toContain("ruleChanged");
    expect(within("-200", "-60").strengths(-200, -59).kinds()).toEqual(["alert.firing", "signal.failed"]);
  });
});

test.each([
  ["below", "-200"],
  ["above", "50"],
] as const)("a limit of a label that no value is %s is none: the rule's own counts", (operator, text) => {
  const rule: Rule = { condition: { operator, value: -80, valueFrom: { label: "limit" } } };
  const partition = withRule(rule, { labels: { limit: text } });
  const [firing] = partition.strengths(operator === "below" ? -81 : -79).news();
  expect(firing?.data.alert?.limit).toBe(-80);
});

describe("a schedule", () => {
  test("keeps a rule from firing outside of it, and ends what fires there", () => {
    const schedule = { timeZone: "UTC", windows: [{ from: "00:01", to: "00:02" }] };
    const partition = withRule({ schedule });
    expect(alerts(partition.strengths(-90))).toEqual([]);
    partition.after(60_000);
    expect(alerts(partition.strengths(-90))).toHaveLength(1);
    partition.after(60_000).strengths(-90);
    expect(partition.news()[0]?.data.alert).toMatchObject({ state: "resolved", resolveReason: "schedule" });
  });
});
