import { describe, expect, test } from "vitest";
import { BacktestAnswer } from "../../schemas/backtest.ts";
import type { SignalId } from "../../schemas/common.ts";
import { RuleAnswer } from "../../schemas/rule.ts";
import { type Signal, SignalsCreated } from "../../schemas/signal.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { readingsIn } from "../support/readings.ts";
import { bytes } from "../support/rows.ts";
import { sharedServe } from "../support/serve.ts";

const PATH = "/v1/alerts/rules/backtest";
const START = Date.UTC(2026, 0, 31, 9);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BELOW = { operator: "below", value: -80 };
/** Of an alert without levels. */
const PLAIN = { severity: "warning", steps: [], stepCount: 0 };

const shared = sharedServe();
const iso = (ms: number) => new Date(ms).toISOString();
const hour = { from: iso(START), to: iso(START + HOUR) };

const create = async (fields: object = {}): Promise<Signal> => {
  const body = { name: "s", threshold: 0.4, ...fields };
  const [signal] = (await shared.serve.api.expect(SignalsCreated, "POST", "/v1/signals", body)).signals;
  if (signal === undefined) throw new Error("not made");
  return signal;
};
let inserts = 0;
const insert = (id: SignalId, readings: readonly (readonly [atMs: number, strength: number])[]) => {
  const lines = readings.map(([atMs, strength]) => readingLine(id, atMs, strength));
  return shared.engines.timeSeries.insertReadings(
    `backtest ${inserts++}`,
    readingsIn([bytes(lines.join(""))]),
  );
};
const ruleOn = (signalIds: readonly string[], of: object = {}) => ({
  name: "weak",
  select: { signalIds },
  condition: BELOW,
  ...of,
});
const tested = (body: object): Promise<BacktestAnswer> =>
  shared.serve.api.expect(BacktestAnswer, "POST", PATH, body);
const refused = async (body: object) => {
  const { status, body: problem } = await shared.serve.api.call("POST", PATH, body);
  return { status, problem };
};

/** Of a signal of its own, at one reading a minute. */
const signalWith = async (strengths: readonly number[], fields: object = {}): Promise<SignalId> => {
  const { id } = await create(fields);
  await insert(
    id,
    strengths.map((strength, i) => [START + i * MINUTE, strength]),
  );
  return id;
};

describe("a backtest", () => {
  test("tells when the rule would have fired, until when, and how bad it was", async () => {
    const one = await signalWith([-60, -81, -90.5, -85, -78, -60, -60, -82]);
    const other = await signalWith([-60, -60, -100, -60]);
    const answer = await tested({ rule: ruleOn([other, one]), ...hour });
    const at = (minute: number) => iso(START + minute * MINUTE);
    expect(answer).toMatchObject({
      ...hour,
      summary: { firings: 3, signals: 2, selected: 2, readings: 12, flapping: [] },
    });
    expect(answer.firings).toEqual([
      { signalId: one, from: at(1), to: at(5), worst: -90.5, ...PLAIN },
      { signalId: one, from: at(7), to: null, worst: -82, ...PLAIN },
      { signalId: other, from: at(2), to: at(3), worst: -100, ...PLAIN },
    ]);
  });

  test("tells how hard an alert became, and by which steps", async () => {
    const levels = [
      { severity: "info", value: -70 },
      { severity: "warning", value: -80 },
      { severity: "critical", value: -90 },
    ];
    const id = await signalWith([-60, -72, -95, -84, -60, -71, -60]);
    const rule = ruleOn([id], { condition: { operator: "below" }, levels });
    const { firings, summary } = await tested({ rule, ...hour });
    const at = (minute: number) => iso(START + minute * MINUTE);
    const step = (minute: number, previousSeverity: string, severity: string, value: number) => ({
      at: at(minute),
      severity,
      previousSeverity,
      value,
    });
    const steps = [step(2, "info", "critical", -95), step(3, "critical", "warning", -84)];
    expect(firings).toEqual([
      { signalId: id, from: at(1), to: at(4), severity: "critical", worst: -95, steps, stepCount: 2 },
      { signalId: id, from: at(5), to: at(6), severity: "info", worst: -71, steps: [], stepCount: 0 },
    ]);
    expect(summary).toMatchObject({
      firings: 2,
      severities: { info: 1, warning: 0, critical: 1 },
      stepsUp: 1,
      stepsDown: 1,
    });
  });

  test("names a bounded number of steps, and counts the rest", async () => {
    const levels = [
      { severity: "warning", value: -80 },
      { severity: "critical", value: -90 },
    ];
    const id = await signalWith(Array.from({ length: 58 }, (_, i) => (i % 2 === 0 ? -82 : -95)));
    const rule = ruleOn([id], { condition: { operator: "below" }, levels });
    const { firings, summary } = await tested({ rule, ...hour });
    expect(firings).toMatchObject([{ severity: "critical", stepCount: 57 }]);
    expect(firings[0]?.steps).toHaveLength(20);
    expect(summary).toMatchObject({ firings: 1, stepsUp: 29, stepsDown: 28 });
  });

  test("of a saved rule takes it as it is, even if it is disabled, and signals as they are", async () => {
    const id = await signalWith([-60, -81, -60], { labels: { place: "attic" } });
    const body = { name: "weak", enabled: false, select: { labels: { place: "attic" } }, condition: BELOW };
    const { id: ruleId } = await shared.serve.api.expect(RuleAnswer, "POST", "/v1/alerts/rules", body);
    const { firings, approximated } = await tested({ ruleId, ...hour });
    expect(firings).toMatchObject([{ signalId: id, worst: -81 }]);
    expect(approximated?.join()).toContain("1 of 1 signal was made or changed after the span began");
  });

  test("judges quality by the signal's own floor and ceiling", async () => {
    const condition = { metric: "quality", operator: "below", value: 0.5, hysteresis: 0 };
    const id = await signalWith([-60, -74, -76, -60], { floorDbm: -90, ceilingDbm: -60 });
    const { firings } = await tested({ rule: ruleOn([id], { condition }), ...hour });
    expect(firings).toMatchObject([{ from: iso(START + 2 * MINUTE), worst: 0.466667 }]);
  });

  test("lets waits end at their own moments, also behind the last reading", async () => {
    const id = await signalWith([-60, -90, -90, -60, -90]);
    const rule = ruleOn([id], { forSeconds: 90 });
    const { firings } = await tested({ rule, from: hour.from, to: iso(START + 6 * MINUTE) });
    expect(firings).toMatchObject([
      { from: iso(START + 150_000), to: iso(START + 3 * MINUTE) },
      { from: iso(START + 330_000), to: null },
    ]);
    const { firings: cut } = await tested({ rule, from: hour.from, to: iso(START + 5 * MINUTE) });
    expect(cut).toHaveLength(1);
  });

  test("names signals on which the rule flaps, and what would calm it", async () => {
    // Good for long, then a quarter of an hour around the limit.
    const jitter = (weak: number, strong: number) =>
      Array.from({ length: 60 }, (_, i) => (i < 20 || i > 35 ? -60 : i % 2 === 0 ? weak : strong));
    const narrow = await signalWith(jitter(-81, -76.5));
    const wide = await signalWith(jitter(-95, -61));
    const calm = await signalWith([-60, -81, -60]);
    const { summary } = await tested({ rule: ruleOn([narrow, wide, calm]), ...hour });
    expect(new Map(summary.flapping.map(({ signalId, ...rest }) => [signalId, rest]))).toEqual(
      new Map([
        [
          narrow,
          {
            changes: 16,
            remedies: [
              { change: { hysteresis: 4 }, changes: 2 },
              { change: { forSeconds: 120 }, changes: 0 },
            ],
          },
        ],
        [
          wide,
          {
            changes: 16,
            remedies: [
              { change: { hysteresis: 20 }, changes: 2 },
              { change: { forSeconds: 120 }, changes: 0 },
            ],
          },
        ],
      ]),
    );
  });

  test("of no signal, or of some without their limit, warns of that", async () => {
    const nobody = { select: { labels: { site: "nowhere" } } };
    const none = await tested({ rule: { name: "weak", condition: BELOW, ...nobody }, ...hour });
    expect(none).toMatchObject({
      summary: { selected: 0 },
      warnings: [{ path: "rule.select", message: "matches no signal as yet" }],
    });
    const { id } = await create({ labels: { limit: "abc" } });
    const condition = { operator: "below", valueFrom: { label: "limit" } };
    const rests = await tested({ rule: ruleOn([id], { condition }), ...hour });
    expect(rests).toMatchObject({
      summary: { selected: 0 },
      warnings: [
        { path: "rule.condition.valueFrom.label", message: expect.stringContaining("none of the 1") },
      ],
    });
    const { id: ruleId } = await shared.serve.api.expect(RuleAnswer, "POST", "/v1/alerts/rules", {
      name: "weak",
      condition: BELOW,
      ...nobody,
    });
    expect((await tested({ ruleId, ...hour })).warnings.map(({ path }) => path)).toEqual(["select"]);
  });

  test("of silence says what is approximated, and how long a silence would be calm", async () => {
    const { id } = await create();
    const times = Array.from({ length: 30 }, (_, i) => START + i * 50_000);
    await insert(
      id,
      times.map((at) => [at, -60]),
    );
    const condition = { operator: "noData", overSeconds: 40 };
    const to = iso(START + 29 * 50_000 + 60_000);
    const { firings, summary, approximated } = await tested({
      rule: ruleOn([id], { condition }),
      from: hour.from,
      to,
    });
    expect(firings[0]).toEqual({
      signalId: id,
      from: iso(START + 40_000),
      to: iso(START + 50_000),
      worst: 50,
      ...PLAIN,
    });
    expect(summary).toMatchObject({
      firings: 30,
      flapping: [{ changes: 59, remedies: [{ change: { overSeconds: 60 }, changes: 0 }] }],
    });
    expect(approximated?.join()).toContain("Silence is counted from one stored reading to the next");
  });

  test("gives a bounded number of firings, and counts the rest", async () => {
    const id = await signalWith(Array.from({ length: 2_500 }, (_, i) => (i % 2 === 0 ? -90 : -60)));
    const span = { from: hour.from, to: iso(START + 48 * HOUR) };
    const { firings, summary } = await tested({ rule: ruleOn([id]), ...span });
    expect(firings).toHaveLength(1_000);
    expect(summary).toMatchObject({ firings: 1_250, readings: 2_500 });
  });

  test("of a selection without signals, or of signals without readings, says so by its numbers", async () => {
    const none = await tested({
      rule: { name: "r", select: { labels: { no: "body" } }, condition: BELOW },
      ...hour,
    });
    expect(none).toMatchObject({ firings: [], summary: { selected: 0, readings: 0 } });
    const { id } = await create();
    const silent = await tested({ rule: ruleOn([id]), ...hour });
    expect(silent).toMatchObject({ firings: [], summary: { selected: 1, readings: 0, firings: 0 } });
  });
});

describe("what a backtest approximates is said", () => {
  test("readings of one time, firings that may have begun before, signals that are paused", async () => {
    const { id } = await create({});
    await insert(id, [
      [START, -90],
      [START, -91],
      [START + MINUTE, -60],
    ]);
    await shared.serve.api.call("PATCH", `/v1/signals/${id}`, { status: "paused" });
    const { approximated = [], firings } = await tested({ rule: ruleOn([id]), ...hour });
    expect(firings).toHaveLength(1);
    const text = approximated.join("\n");
    for (const said of [
      "1 firing may have begun earlier",
      "1 reading has the time of another",
      "1 signal is paused",
    ])
      expect(text).toContain(said);
  });

  test("readings that have expired", async () => {
    const id = await signalWith(Array.from({ length: 120 }, () => -60));
    const { timeSeries } = shared.engines;
    // As if: the rollups know of what the raw table never had.
    const stretch = (await timeSeries.transfer.stretches("readings_1h")).at(0) ?? "";
    const lines = new TextDecoder().decode(
      (await timeSeries.transfer.read("readings_1h", stretch, null)).lines,
    );
    const own = lines.split("\n").filter((line) => line.startsWith(id));
    await timeSeries.transfer.insert("readings_1h", "expired", [bytes(`${own.join("\n")}\n`)]);
    const { approximated = [] } = await tested({
      rule: ruleOn([id]),
      from: hour.from,
      to: iso(START + 2 * HOUR),
    });
    expect(approximated.join()).toContain(
      "At least 120 readings of the span are not kept one by one any more",
    );
  });
});

describe("a backtest that cannot be is refused with the path", () => {
  const cases: [what: string, body: object, path: string][] = [
    ["no rule", hour, "rule"],
    [
      "two rules",
      { rule: ruleOn(["sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9"]), ruleId: "rul_01JDA2V3Q8R5T7W9Y1B3D5F7H9", ...hour },
      "ruleId",
    ],
    ["no span", { ruleId: "rul_01JDA2V3Q8R5T7W9Y1B3D5F7H9" }, "from"],
    [
      "a span that ends before it begins",
      { ruleId: "rul_01JDA2V3Q8R5T7W9Y1B3D5F7H9", from: hour.to, to: hour.from },
      "from",
    ],
    [
      "a limit that can never be",
      { rule: { name: "r", condition: { operator: "below", value: -300 } }, ...hour },
      "rule.condition.value",
    ],
    ["a field that is none", { rule: { ...ruleOn([]), colour: "red" }, ...hour }, "rule"],
    ["a time that is none", { rule: { name: "r", condition: BELOW }, from: "yesterday" }, "from"],
  ];
  test.each(cases)("%s", async (_, body, path) => {
    const { status, problem } = await refused(body);
    expect(status).toBe(400);
    expect(JSON.stringify(problem)).toContain(`"path":"${path}`);
  });

  test("a span in the future, and a rule of somebody else", async () => {
    const future = { rule: { name: "r", condition: BELOW }, from: "2200-01-01T00:00:00Z" };
    expect(await refused(future)).toMatchObject({ status: 400, problem: { errors: [{ path: "from" }] } });
    const unknown = { ruleId: "rul_01JDA2V3Q8R5T7W9Y1B3D5F7H9", ...hour };
    expect(await refused(unknown)).toMatchObject({ status: 404 });
  });
});
