import fc from "fast-check";
import { expect, test } from "vitest";
import { Rule, RuleCreate } from "../../schemas/rule.ts";
import { draftOf, NEW_RULE, ruleOf, triedOf } from "../../src/dashboard/pages/alerts/rule-draft.ts";

const ID = "01KDVDNA3VSJJF2SXEYR3GY63F";
const MADE = {
  id: `rul_${ID}`,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
};

const CONDITIONS = [
  { operator: "below", value: -85.5 },
  { operator: "above", metric: "quality", value: 0.9, hysteresis: 0.1 },
  { operator: "below", valueFrom: { label: "limit" }, value: -90 },
  { operator: "outside", value: -90, upper: -40, hysteresis: 2 },
  { operator: "outside", valueFrom: { label: "low" }, upperFrom: { label: "high" } },
  { operator: "change", value: 6, overSeconds: 60, direction: "fall" },
  { operator: "noData", overSeconds: 600 },
] as const;
const rule = fc.record(
  {
    name: fc.string({ minLength: 1, maxLength: 50 }).filter((name) => name.trim() === name && name !== ""),
    condition: fc.constantFrom(...CONDITIONS),
    severity: fc.constantFrom("info", "warning", "critical"),
    select: fc.constantFrom(
      {},
      { signalIds: [`sig_${ID}`] },
      { labels: { site: "north", note: "a=b" } },
      { sourceId: `src_${ID}`, labels: { empty: "" } },
    ),
    keepFiringForSeconds: fc.constantFrom(0, 30.5),
    failsSignal: fc.boolean(),
    flapDetection: fc.boolean(),
    enabled: fc.boolean(),
    schedule: fc.constantFrom(null, {
      timeZone: "Europe/Berlin",
      windows: [{ days: ["mon" as const], from: "08:00", to: "24:00" }],
    }),
    notify: fc.constantFrom(
      null,
      { webhookIds: [] },
      { webhookIds: [`whk_${ID}`] },
      { emails: ["a@example.org", "b@example.org"] },
    ),
  },
  { requiredKeys: ["name", "condition"] },
);

/** As it comes back: text that went through JSON. */
const answered = (taken: RuleCreate): Parameters<typeof draftOf>[0] =>
  JSON.parse(JSON.stringify(Rule.parse({ ...taken, ...MADE })));

test("a rule that is opened and saved stays what it is", () => {
  fc.assert(
    fc.property(rule, (asked) => {
      const taken = RuleCreate.parse(
        asked.notify?.webhookIds?.length === 0
          ? { ...asked, notify: { webhookIds: [], emails: ["a@example.org"] } }
          : asked,
      );
      expect(RuleCreate.parse(ruleOf(draftOf(answered(taken))))).toEqual(taken);
    }),
  );
});

test("levels stay, and their limits are numbers again", () => {
  const levels = [
    { severity: "warning", value: -80 },
    { severity: "critical", value: -95.5 },
  ];
  const taken = RuleCreate.parse({ name: "steps", condition: { operator: "below" }, levels });
  expect(RuleCreate.parse(ruleOf(draftOf(answered(taken)))).levels).toEqual(levels);
});

test("a new one wants only a name", () => {
  expect(RuleCreate.safeParse(ruleOf({ ...NEW_RULE, name: "weak" })).success).toBe(true);
  const { error } = RuleCreate.safeParse(ruleOf({ ...NEW_RULE, name: " ", value: "" }));
  expect(error?.issues.map(({ path }) => path.join("."))).toEqual(["name", "condition.value"]);
});

test("what compares with a band has no levels, though some were typed before", () => {
  const levels = [
    { severity: "warning" as const, value: "-80" },
    { severity: "critical" as const, value: "" },
  ];
  const band = { ...NEW_RULE, name: "band", operator: "outside" as const, upper: "-40", levels };
  expect(RuleCreate.parse(ruleOf(band))).toMatchObject({
    condition: { value: -85, upper: -40 },
    levels: null,
  });
});

test("is tried whatever it is called and whoever is told, but not with half of a number", () => {
  const nobody = { ...NEW_RULE, toldTo: "none" as const, emails: "ops@" };
  expect(RuleCreate.safeParse(triedOf(nobody)).success).toBe(true);
  const halves = [
    { value: "" },
    { operator: "outside" },
    { operator: "change", overSeconds: "" },
    { operator: "noData", overSeconds: " " },
    {
      levels: [
        { severity: "warning", value: "-80" },
        { severity: "critical", value: "" },
      ],
    },
  ] as const;
  for (const half of halves) expect(triedOf({ ...NEW_RULE, ...half })).toBeNull();
  const wholes = [
    { value: "", valueLabel: "limit" },
    { operator: "outside", upperLabel: "high" },
    { operator: "noData", value: "" },
  ] as const;
  for (const whole of wholes)
    expect(RuleCreate.safeParse(triedOf({ ...NEW_RULE, ...whole })).success).toBe(true);
});
