import fc from "fast-check";
import type { RuleCreate } from "../../schemas/rule.ts";
import { RuleCreate as RuleSchema } from "../../schemas/rule.ts";
import { signalId, sourceId } from "./partition.ts";
import { anySchedule, type Stage } from "./scenario-schedules.ts";

export const SIGNALS = 4;
export const RULES = 5;

type RuleInput = typeof RuleCreate._zod.input;
type Condition = RuleInput["condition"];
type Part = Partial<RuleInput> & { readonly condition: Condition };

/** Signals that a rule or a silence looks at. */
export const anySelection = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.constantFrom({ labels: { site: "north" } }, { labels: { site: "south" } }) },
  { weight: 1, arbitrary: fc.constant({ sourceId: sourceId(1) }) },
  {
    weight: 1,
    arbitrary: fc
      .uniqueArray(fc.integer({ min: 1, max: SIGNALS }), { minLength: 1, maxLength: 2 })
      .map((numbers) => ({ signalIds: numbers.map(signalId) })),
  },
);

const hysteresisDb = fc.constantFrom(undefined, undefined, 0, 1, 5);
const without = (condition: object): Condition => JSON.parse(JSON.stringify(condition));

const oneLimit = fc.oneof(
  fc.record({
    operator: fc.constant("below"),
    value: fc.constantFrom(-80, -80.1, -85, -199),
    hysteresis: hysteresisDb,
  }),
  fc.record({
    operator: fc.constant("above"),
    value: fc.constantFrom(-60, -65.5, 49),
    hysteresis: hysteresisDb,
  }),
  fc.record({
    operator: fc.constant("outside"),
    value: fc.constant(-85),
    upper: fc.constantFrom(-60, -75),
    hysteresis: hysteresisDb,
  }),
  fc.record({
    metric: fc.constant("quality"),
    operator: fc.constantFrom("below", "above"),
    value: fc.constantFrom(0.02, 0.3, 0.4, 0.98, 0.99),
    hysteresis: fc.constantFrom(undefined, 0, 0.05),
  }),
  fc.record({
    metric: fc.constant("quality"),
    operator: fc.constantFrom("below", "above"),
    value: fc.constantFrom(0.3, 0.4),
    hysteresis: fc.constant(0.1),
  }),
);

const ownLimit = fc.oneof(
  fc.record({
    operator: fc.constantFrom("below", "above"),
    valueFrom: fc.constant({ label: "low" }),
    value: fc.constantFrom(undefined, -75),
  }),
  fc.record({
    operator: fc.constant("outside"),
    valueFrom: fc.constant({ label: "low" }),
    value: fc.constantFrom(undefined, -85),
    upper: fc.constantFrom(undefined, -62),
    upperFrom: fc.constant({ label: "high" }),
  }),
);

const change = fc.record({
  operator: fc.constant("change"),
  value: fc.constantFrom(5, 10, 20),
  hysteresis: fc.constantFrom(undefined, undefined, 0, 4.5),
  overSeconds: fc.constantFrom(1, 6, 60, 61.3, 600),
  direction: fc.constantFrom(undefined, "either", "rise", "fall"),
});
const qualityChange = fc.record({
  metric: fc.constant("quality"),
  operator: fc.constant("change"),
  value: fc.constantFrom(0.1, 0.3),
  overSeconds: fc.constantFrom(6, 60),
});

const plain = fc.oneof(oneLimit, oneLimit, ownLimit, change, qualityChange).map(
  (condition): Part => ({
    condition: without(condition),
  }),
);
const noData = fc
  .constantFrom(1, 2.5, 5, 30)
  .map((overSeconds): Part => ({ condition: { operator: "noData", overSeconds }, forSeconds: 0 }));

const LADDERS = {
  below: [-70, -80, -90],
  above: [-90, -75, -60],
  change: [5, 10, 20],
} as const;
const SEVERITIES = ["info", "warning", "critical"] as const;
const levels = fc
  .record({
    operator: fc.constantFrom("below", "above", "change"),
    from: fc.constantFrom(0, 0, 1),
    to: fc.constantFrom(2, 3, 3),
    hysteresis: fc.constantFrom(undefined, undefined, 0, 4),
  })
  .map(({ operator, from, to, hysteresis }): Part => {
    const over = operator === "change" ? { overSeconds: 12 } : {};
    const ladder = LADDERS[operator].map((value, i) => ({ severity: SEVERITIES[i] ?? "info", value }));
    const taken = to - from < 2 ? ladder : ladder.slice(from, to);
    return { condition: without({ operator, hysteresis, ...over }), levels: taken };
  });

/** Null three times out of four. */
export const seldom = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: some });

const waits = fc.constantFrom(0, 0, 0, 1, 2.5, 10, 60);

/** What a user may make a rule of. */
export const anyRule = (stage: Stage): fc.Arbitrary<RuleInput> =>
  fc
    .record({
      part: fc.oneof({ weight: 4, arbitrary: plain }, { weight: 2, arbitrary: levels }, noData),
      name: fc.constantFrom("a", "b"),
      enabled: fc.constantFrom(true, true, true, true, true, false),
      severity: fc.constantFrom(...SEVERITIES),
      select: anySelection,
      forSeconds: waits,
      keepFiringForSeconds: waits,
      failsSignal: fc.boolean(),
      schedule: seldom(anySchedule(stage)),
      flapDetection: fc.constantFrom(true, true, true, false),
    })
    .map(({ part, ...rest }) => RuleSchema.parse({ ...rest, ...part }));
