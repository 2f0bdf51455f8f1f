import { describe, expect, test } from "vitest";
import type { Explained } from "../../src/dashboard/api/types.ts";
import { valueFacts } from "../../src/dashboard/pages/alerts/value-facts.ts";
import { shownRule } from "../support/shown-rule.ts";

type Asked = Parameters<typeof valueFacts>;
type Operator = Explained["rule"]["condition"]["operator"];
const firing = (value?: number) => ({
  kind: "firing" as const,
  at: "2026-01-01T00:00:00.000Z",
  text: "",
  ...(value === undefined ? {} : { value }),
});
const rule = (operator: Operator) => shownRule({ condition: { metric: "strength", operator } });
const why = (steps: Explained["steps"], of: { outcome?: "firing" | "idle"; operator?: Operator } = {}) => ({
  outcome: of.outcome ?? "firing",
  steps,
  rule: rule(of.operator ?? "below"),
});
const alert = (of: Partial<Asked[0]>): Asked[0] => ({
  state: "resolved",
  value: -41.8,
  resolveReason: "recovered",
  ...of,
});

describe("what an alert compared is told by what it was to it", () => {
  test("of one that is over, what fired and what ended it", () => {
    expect(valueFacts(alert({}), why([firing(-70), firing(-68.9), firing()]))).toEqual([
      ["Crossed at", -68.9],
      ["Recovered at", -41.8],
    ]);
  });

  test("of one that no reading ended, what fired", () => {
    expect(valueFacts(alert({ resolveReason: "ruleDeleted" }), why([firing(-68.9)]))).toEqual([
      ["Crossed at", -68.9],
    ]);
  });

  test("of one whose explanation differs, nothing of another's", () => {
    expect(valueFacts(alert({}), why([firing(-70)], { outcome: "idle" }))).toEqual([["Recovered at", -41.8]]);
  });

  test("of one that goes on, what fired, or what it was told with while that is not known", () => {
    const on = alert({ state: "firing", resolveReason: null, value: -75 });
    expect(valueFacts(on, why([firing(-68.9)]))).toEqual([["Crossed at", -68.9]]);
    expect(valueFacts(on, undefined)).toEqual([["Crossed at", -75]]);
  });

  test("of one that waits, its reading", () => {
    const waiting = alert({ state: "pending", resolveReason: null, value: -75 });
    expect(valueFacts(waiting, undefined)).toEqual([["Reading", -75]]);
  });

  test("of a silence, how long it was", () => {
    expect(valueFacts(alert({ value: 0 }), why([firing(45)], { operator: "noData" }))).toEqual([
      ["Silent for", 45],
    ]);
  });
});
