import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { BACKTEST_STEPS_MAX } from "../../../schemas/backtest.ts";
import type { RuleCreate } from "../../../schemas/rule.ts";
import { Backtest } from "../../../src/domain/backtest/backtest.ts";
import type { Firing } from "../../../src/domain/backtest/firings.ts";
import { PastSignal } from "../../../src/domain/backtest/past-signal.ts";
import { readingLine } from "../../../src/domain/reading-line.ts";
import {
  definition,
  rule,
  ruleChange,
  signalChange,
  signalId,
  TestPartition,
} from "../../support/partition.ts";
import { walkReadings } from "../../support/walk.ts";

type RuleOf = Partial<typeof RuleCreate._zod.input>;
interface Reading {
  readonly atMs: number;
  readonly strength: number;
}
type Event = ReturnType<TestPartition["news"]>[number];
const encoder = new TextEncoder();
const START = Date.UTC(2026, 0, 1);
const BEFORE = Date.UTC(2020, 0, 1);
/** How often time goes on live while nothing comes. */
const TICK_MS = 1_000;
const SCALE = { floorDbm: -120, ceilingDbm: -70 };

const blockOf = (signal: number, readings: readonly Reading[]): Uint8Array =>
  encoder.encode(
    readings.map(({ atMs, strength }) => readingLine(signalId(signal), atMs, strength)).join(""),
  );

const backtest = (
  of: RuleOf,
  blocks: readonly Uint8Array[],
  toMs: number,
  overrides: Parameters<typeof definition>[1] = SCALE,
) => {
  const signals = new Map([1, 2, 3].map((n) => [signalId(n), definition(n, overrides)]));
  const run = new Backtest({ rule: rule(1, of), signals, toMs });
  for (const block of blocks) for (const _ of run.lines(block));
  run.finish();
  return run.findings;
};

/** Each alert is one of its own, though the rule flap. */
const EACH: RuleOf = { flapDetection: false };

/** Live: each reading a record of its own, appended when it was taken, and ticks once a second while something waits. */
const foldedLive = (of: RuleOf, readings: readonly Reading[], toMs: number) => {
  const partition = new TestPartition();
  partition.now = BEFORE;
  partition.change(ruleChange(1, { ...of, ...EACH }), signalChange(1, SCALE));
  const tickUntil = (ms: number) => {
    while (partition.evaluation.timePending && partition.now + TICK_MS < ms) partition.ticks(1);
  };
  for (const { atMs, strength } of readings) {
    tickUntil(atMs);
    partition.now = atMs;
    partition.read({ signal: 1, strength, at: atMs });
  }
  tickUntil(toMs);
  return partition.news();
};

/** A capture that is replayed at once: the log has it in a moment, times are the readings' own. */
const foldedAtOnce = (of: RuleOf, readings: readonly Reading[]) => {
  const partition = new TestPartition();
  partition.now = Date.UTC(2026, 5, 1);
  partition.change(ruleChange(1, { ...of, ...EACH }), signalChange(1, SCALE));
  for (const { atMs, strength } of readings) partition.after(1).read({ signal: 1, strength, at: atMs });
  return partition.news();
};

type Severities = readonly (readonly [severity: string, previous: string, value: number | null])[];
const HARDNESS = ["info", "warning", "critical"];

/** Begin and end of each alert, its hardest severity and how that changed, as events have them. */
const alertsIn = (events: ReturnType<TestPartition["news"]>) => {
  const alerts = new Map<
    string,
    { fromMs: number; toMs: number | null; severity: string; steps: Severities }
  >();
  for (const { createdAt, data } of events) {
    if (data.alert === undefined) continue;
    const { id, state, severity, previousSeverity, value } = data.alert;
    const known = alerts.get(id) ?? { fromMs: Date.parse(createdAt), toMs: null, severity, steps: [] };
    if (state === "resolved") known.toMs = Date.parse(createdAt);
    if (HARDNESS.indexOf(severity) > HARDNESS.indexOf(known.severity)) known.severity = severity;
    if (previousSeverity !== undefined)
      known.steps = [...known.steps, [severity, previousSeverity, value] as const];
    alerts.set(id, known);
  }
  return [...alerts.values()];
};

/** Every event of an alert, but for ids and the moments at which ticks come. */
const alertEvents = (events: readonly Event[]) =>
  events.flatMap(({ event, data: { alert, signal } }) =>
    alert === undefined
      ? []
      : [
          {
            event,
            lastReadingAt: signal?.lastReadingAt,
            severity: alert.severity,
            previousSeverity: alert.previousSeverity,
            limit: alert.limit,
            value: alert.value,
            resolveReason: alert.resolveReason,
          },
        ],
  );

/** What the driver of backtests tells of the same readings. */
const toldOfPast = (of: RuleOf, readings: readonly Reading[], toMs: number): Event[] => {
  const events: Event[] = [];
  const sink = { event: (event: Event) => void events.push(event), refused: () => undefined };
  const past = new PastSignal(definition(1, SCALE), [rule(1, of)], sink);
  for (const reading of readings) past.read(blockOf(1, [reading]), reading.atMs);
  past.passTo(toMs);
  return events;
};

/** The moments are those of the backtest, or up to a second later, when the next tick came. */
const expectTheSame = (found: readonly Firing[], live: ReturnType<typeof alertsIn>) => {
  expect(found).toHaveLength(live.length);
  for (const [i, { fromMs, toMs, severity, steps }] of live.entries()) {
    const firing = found[i];
    expect(firing?.severity).toBe(severity);
    expect((firing?.stepsUp ?? 0) + (firing?.stepsDown ?? 0)).toBe(steps.length);
    const told = firing?.steps.map((step) => [step.severity, step.previousSeverity, step.value]);
    expect(told).toEqual(steps.slice(0, BACKTEST_STEPS_MAX));
    expect(fromMs - (firing?.fromMs ?? 0)).toBeGreaterThanOrEqual(0);
    expect(fromMs - (firing?.fromMs ?? 0)).toBeLessThanOrEqual(TICK_MS);
    if (toMs === null || firing?.toMs === null) expect(firing?.toMs).toBe(toMs);
    else {
      expect(toMs - (firing?.toMs ?? 0)).toBeGreaterThanOrEqual(0);
      expect(toMs - (firing?.toMs ?? 0)).toBeLessThanOrEqual(TICK_MS);
    }
  }
};

const RULES: Record<string, RuleOf> = {
  "a limit": { condition: { operator: "below", value: -100 } },
  "a limit with a wide hysteresis": { condition: { operator: "below", value: -100, hysteresis: 12 } },
  "a limit without hysteresis": { condition: { operator: "below", value: -95, hysteresis: 0 } },
  "a wait of half a minute": { condition: { operator: "below", value: -100 }, forSeconds: 30 },
  "a wait that is shorter than the feed's interval": {
    condition: { operator: "below", value: -100 },
    forSeconds: 2.5,
  },
  "an alert that is kept": {
    condition: { operator: "below", value: -105 },
    forSeconds: 10,
    keepFiringForSeconds: 60,
  },
  "an upper limit": { condition: { operator: "above", value: -80 }, keepFiringForSeconds: 20 },
  "a band": { condition: { operator: "outside", value: -110, upper: -80 } },
  "a change": { condition: { operator: "change", value: 15, overSeconds: 120 } },
  "a fall": { condition: { operator: "change", value: 20, overSeconds: 60, direction: "fall" } },
  levels: {
    condition: { operator: "below" },
    levels: [
      { severity: "warning", value: -95 },
      { severity: "critical", value: -108 },
    ],
    forSeconds: 8,
  },
  "no data": { condition: { operator: "noData", overSeconds: 60 } },
  "a quality": { condition: { metric: "quality", operator: "below", value: 0.3 }, forSeconds: 8 },
};

/** Silence is counted by append time alone: a replay has none. */
const isOfSilence = ({ condition }: RuleOf): boolean => condition?.operator === "noData";

describe("a rule over the past of a real walk", () => {
  const readings = walkReadings();
  for (const [name, of] of Object.entries(RULES)) {
    it.skipIf(readings === null)(`fires as it would have live: ${name}`, () => {
      const walk = readings ?? [];
      const toMs = (walk.at(-1)?.atMs ?? 0) + 600_000;
      const { firings, firingCount, readings: count } = backtest(of, [blockOf(1, walk)], toMs);
      const live = alertsIn(foldedLive(of, walk, toMs));
      expect(live.length).toBeGreaterThan(0);
      expectTheSame(firings, live);
      if (!isOfSilence(of))
        expect(alertEvents(toldOfPast(of, walk, toMs))).toEqual(alertEvents(foldedLive(of, walk, toMs)));
      expect({ firingCount, count }).toEqual({ firingCount: live.length, count: 511 });
      // A replay tells the same alerts; the last may end later, as nothing comes behind it.
      expect(alertsIn(foldedAtOnce(of, walk))).toHaveLength(isOfSilence(of) ? 0 : live.length);
    });
  }

  it.skipIf(readings === null)("counts what an independent loop counts", () => {
    const walk = readings ?? [];
    let firing = false;
    const expected: { fromMs: number; toMs: number | null; worst: number }[] = [];
    for (const { atMs, strength } of walk) {
      const last = expected.at(-1);
      if (!firing && strength < -100) expected.push({ fromMs: atMs, toMs: null, worst: strength });
      else if (firing && strength >= -97 && last !== undefined) last.toMs = atMs;
      else if (firing && last !== undefined) last.worst = Math.min(last.worst, strength);
      firing = firing ? strength < -97 : strength < -100;
    }
    const of: RuleOf = { condition: { operator: "below", value: -100 } };
    const found = backtest(of, [blockOf(1, walk)], (walk.at(-1)?.atMs ?? 0) + 1);
    expect(found.firings.map(({ fromMs, toMs, worst }) => ({ fromMs, toMs, worst }))).toEqual(expected);
    expect(found).toMatchObject({
      severities: { info: 0, warning: expected.length, critical: 0 },
      stepsUp: 0,
    });
  });
});

describe("a rule over any past", () => {
  const pastsOf = (gapMin: number) => {
    const step = fc.record({
      gap: fc.integer({ min: gapMin, max: 40_000 }),
      strength: fc.integer({ min: -120, max: -60 }),
    });
    return fc.array(step, { minLength: 1, maxLength: 60 }).map((steps) => {
      const past: Reading[] = [];
      for (const { gap, strength } of steps)
        past.push({ atMs: (past.at(-1)?.atMs ?? START) + gap, strength });
      return past;
    });
  };
  const anyRule: fc.Arbitrary<RuleOf> = fc
    .record({
      of: fc.constantFrom(...Object.values(RULES)),
      forSeconds: fc.constantFrom(0, 3, 30.25, 100),
      keepFiringForSeconds: fc.constantFrom(0, 4.5, 60),
    })
    .map(({ of, ...waits }) => ({ ...of, ...waits, ...(isOfSilence(of) ? { forSeconds: 0 } : {}) }));

  /** Levels whose waits end between two ticks are told together live, and one after the other of a past. */
  const ruleAndPast = anyRule.chain((of) =>
    fc.tuple(fc.constant(of), pastsOf(of.levels === undefined ? 1 : TICK_MS + 1)),
  );

  test("fires as it would have live, however its lines are cut into blocks", () => {
    fc.assert(
      fc.property(ruleAndPast, fc.nat(60), ([of, past], cut) => {
        const toMs = (past.at(-1)?.atMs ?? 0) + 200_000;
        const blocks = [past.slice(0, cut), past.slice(cut)].map((some) => blockOf(1, some));
        expectTheSame(backtest(of, blocks, toMs).firings, alertsIn(foldedLive(of, past, toMs)));
      }),
      { numRuns: 300 },
    );
  });
});
