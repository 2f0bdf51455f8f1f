import { describe, expect, test } from "vitest";
import { limitsFiredAt, limitsOf, limitsOnSignal, ruleLimitsOf } from "../../src/dashboard/chart/limits.ts";
import { limitsTyped, typedOf, withLimit } from "../../src/dashboard/pages/alerts/dragged-limit.ts";
import { NEW_RULE } from "../../src/dashboard/pages/alerts/rule-draft.ts";

const signal = { floorDbm: -110, ceilingDbm: -10, labels: { low: "-92", high: " " } };
const at = (firesAtDbm: number, clearsAtDbm: number, name?: string) => ({
  firesAtDbm,
  clearsAtDbm,
  ...(name === undefined ? {} : { name }),
});
const levels = [
  { severity: "warning" as const, value: -80 },
  { severity: "critical" as const, value: -90 },
];

test("a signal's own limit clears above it, and not beyond its scale", () => {
  expect(limitsOf({ ...signal, threshold: 0.3, hysteresis: 0.1 })).toEqual({
    scale: { lowDbm: -110, highDbm: -10 },
    limits: [at(-80, -70, "Its own threshold")],
  });
  expect(limitsOf({ ...signal, threshold: 0.95, hysteresis: 0.1 }).limits).toEqual([
    at(-15, -10, "Its own threshold"),
  ]);
});

describe("of a rule", () => {
  test("what looks below clears above its limit, and what looks above clears below it", () => {
    const limits = [{ value: -80 }];
    expect(ruleLimitsOf({ metric: "strength", operator: "below" }, limits, signal)).toEqual([at(-80, -77)]);
    expect(ruleLimitsOf({ metric: "strength", operator: "above", hysteresis: 5 }, limits, signal)).toEqual([
      at(-80, -85),
    ]);
  });

  test("each end of a band clears inside of it", () => {
    const band = { metric: "strength", operator: "outside", value: -90, upper: -40 } as const;
    for (const limit of [-90, -40]) {
      const both = limitsFiredAt({ condition: band, levels: null }, limit, signal);
      expect(ruleLimitsOf(band, both, signal)).toEqual([
        at(-90, -87, "Lower end"),
        at(-40, -43, "Upper end"),
      ]);
    }
  });

  test("a band that its hysteresis leaves nothing of is cleared in its middle half", () => {
    const band = { metric: "strength", operator: "outside", value: -90, upper: -86 } as const;
    const both = limitsFiredAt({ condition: band, levels: null }, -86, signal);
    expect(ruleLimitsOf(band, both, signal)).toEqual([at(-90, -89, "Lower end"), at(-86, -87, "Upper end")]);
  });

  test("an end of a band is the signal's own, where its label has one, or what it was when it fired", () => {
    const condition = {
      metric: "strength",
      operator: "outside",
      valueFrom: { label: "low" },
      upperFrom: { label: "high" },
      upper: -40,
    } as const;
    const ends = (limit: number) =>
      limitsFiredAt({ condition, levels: null }, limit, signal).map(({ value }) => value);
    expect(ends(-40)).toEqual([-92, -40]);
    expect(ends(-92)).toEqual([-92, -40]);
    expect(ends(-95)).toEqual([-95, -40]);
    expect(limitsFiredAt({ condition, levels: null }, -50, { labels: {} })).toEqual([
      { value: -50, name: "Upper end", isUpperEnd: true },
    ]);
  });

  test("every level has a limit of its own, by its name", () => {
    const condition = { metric: "strength", operator: "below" } as const;
    expect(ruleLimitsOf(condition, limitsFiredAt({ condition, levels }, -80, signal), signal)).toEqual([
      at(-80, -77, "warning"),
      at(-90, -87, "critical"),
    ]);
  });

  test("quality is a share of the signal's span, and clears within what there can be", () => {
    const condition = { metric: "quality", operator: "below", hysteresis: 0.2 } as const;
    expect(ruleLimitsOf(condition, [{ value: 0.5 }, { value: 0.9 }], signal)).toEqual([
      at(-60, -40),
      at(-20, -10),
    ]);
  });

  test("a change and a silence have no limit of strength", () => {
    for (const operator of ["change", "noData"] as const)
      expect(ruleLimitsOf({ metric: "strength", operator }, [{ value: 6 }], signal)).toEqual([]);
  });
});

describe("of a rule that looks at a signal", () => {
  const weak = { name: "Weak", severity: "warning", levels: null } as const;

  test("they are called by it, and by which of its limits each is", () => {
    const condition = { metric: "strength", operator: "below" } as const;
    expect(limitsOnSignal({ ...weak, condition: { ...condition, value: -70 } }, signal)).toEqual([
      at(-70, -67, "Weak"),
    ]);
    expect(limitsOnSignal({ ...weak, condition, levels }, signal)).toEqual([
      at(-80, -77, "Weak: warning"),
      at(-90, -87, "Weak: critical"),
    ]);
    const band = { metric: "strength", operator: "outside", value: -95, upper: -40 } as const;
    expect(limitsOnSignal({ ...weak, condition: band }, signal)).toEqual([
      at(-95, -92, "Weak: lower end"),
      at(-40, -43, "Weak: upper end"),
    ]);
  });

  test("they are the signal's own, where its label has one; of what has none, or none of strength, none", () => {
    const own = { metric: "strength", operator: "below", valueFrom: { label: "low" } } as const;
    expect(limitsOnSignal({ ...weak, condition: own }, signal)).toEqual([at(-92, -89, "Weak")]);
    expect(limitsOnSignal({ ...weak, condition: own }, { ...signal, labels: {} })).toEqual([]);
    const silence = { metric: "strength", operator: "noData", overSeconds: 60 } as const;
    expect(limitsOnSignal({ ...weak, condition: silence }, signal)).toEqual([]);
  });
});

describe("of a rule that is typed", () => {
  test("what is no number yet is no limit", () => {
    expect(limitsTyped({ ...NEW_RULE, value: " " }, {})).toEqual([]);
    const half = [
      { severity: "warning" as const, value: "-" },
      { severity: "critical" as const, value: "-90" },
    ];
    expect(limitsTyped({ ...NEW_RULE, levels: half }, {})).toEqual([{ value: -90, name: "critical" }]);
  });

  test("what is dragged is what is changed: the limit, an end, or a level", () => {
    const dragged = (draft: typeof NEW_RULE, place: number) => {
      const limits = limitsTyped(draft, {});
      const limit = limits[place];
      return limit && withLimit(draft, limits, limit, "-70");
    };
    expect(dragged(NEW_RULE, 0)).toEqual({ value: "-70" });
    const band = { ...NEW_RULE, operator: "outside", value: "-90", upper: "-40", levels: [] } as const;
    expect(dragged(band, 0)).toEqual({ value: "-70" });
    expect(dragged(band, 1)).toEqual({ upper: "-70" });
    expect(dragged({ ...band, value: "" }, 0)).toEqual({ upper: "-70" });
    const typed = levels.map(({ severity, value }) => ({ severity, value: String(value) }));
    expect(dragged({ ...NEW_RULE, levels: typed }, 1)).toEqual({
      levels: [typed[0], { severity: "critical", value: "-70" }],
    });
  });

  test("an end of a band stops at the other", () => {
    const band = { ...NEW_RULE, operator: "outside", value: "-90", upper: "-40" } as const;
    const limits = limitsTyped(band, {});
    const [lower, upper] = limits;
    for (const beyond of ["-40", "-39.5"])
      expect(lower && withLimit(band, limits, lower, beyond)).toEqual({});
    for (const beyond of ["-90", "-95"]) expect(upper && withLimit(band, limits, upper, beyond)).toEqual({});
    expect(lower && withLimit(band, limits, lower, "-40.5")).toEqual({ value: "-40.5" });
    expect(upper && withLimit({ ...band, value: "" }, [upper], upper, "-99")).toEqual({ upper: "-99" });
  });

  test("a limit of the signal's own is that, and no rule's to be dragged", () => {
    const own = { ...NEW_RULE, valueLabel: "low", value: "-80" };
    const below = { metric: "strength", operator: "below" } as const;
    expect(ruleLimitsOf(below, limitsTyped(own, signal.labels), signal)).toMatchObject([
      { firesAtDbm: -92, isFixed: true },
    ]);
    expect(limitsTyped(own, {})).toEqual([{ value: -80 }]);
    expect(limitsTyped({ ...own, value: "" }, {})).toEqual([]);
    // Below which no reading can be.
    expect(limitsTyped(own, { low: "-200" })).toEqual([{ value: -80 }]);
    const band = { ...own, operator: "outside", upper: "-40", upperLabel: "high" } as const;
    const limits = limitsTyped(band, signal.labels);
    expect(limits).toEqual([
      { value: -92, isOwn: true, name: "Lower end" },
      { value: -40, name: "Upper end", isUpperEnd: true },
    ]);
    const [, upper] = limits;
    expect(upper && withLimit(band, limits, upper, "-92")).toEqual({});
    expect(upper && withLimit(band, limits, upper, "-91")).toEqual({ upper: "-91" });
  });

  test("quality is typed to the hundredth, and strength as it was dragged", () => {
    expect(typedOf({ metric: "quality" }, -72.5, signal)).toBe("0.38");
    expect(typedOf({ metric: "strength" }, -72.5, signal)).toBe("-72.5");
  });
});
