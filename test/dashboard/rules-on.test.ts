import { expect, test } from "vitest";
import type { Rule } from "../../src/dashboard/api/types.ts";
import { rulesOn } from "../../src/dashboard/pages/signal/rules-on.ts";
import { shownRule } from "../support/shown-rule.ts";

const signal = { id: "sig_1", labels: { site: "north", low: "-92" }, sourceId: "src_1" };
const rule = (id: string, of: Partial<Rule> = {}) => shownRule({ id, name: id, ...of });
const ids = (...rules: Rule[]) => rulesOn(rules, signal).shown.map(({ id }) => id);

test("the rules on a signal are those that are on and select it by all that they name", () => {
  expect(
    ids(
      rule("every"),
      rule("off", { enabled: false }),
      rule("id", { select: { signalIds: ["sig_2", "sig_1"] } }),
      rule("other id", { select: { signalIds: ["sig_2"] } }),
      rule("label and source", { select: { labels: { site: "north" }, sourceId: "src_1" } }),
      rule("other source", { select: { labels: { site: "north" }, sourceId: "src_2" } }),
    ),
  ).toEqual(["every", "id", "label and source"]);
});

test("a rule that rests on it, as it has no such label, is none of them", () => {
  const of = (label: string) => ({
    condition: { metric: "strength", operator: "below", valueFrom: { label } } as const,
  });
  expect(ids(rule("own", of("low")), rule("none", of("floor")))).toEqual(["own"]);
});

test("those that fail it come first, and of many the others are counted", () => {
  expect(ids(rule("telling", { failsSignal: false }), rule("failing"))).toEqual(["failing", "telling"]);
  const many = Array.from({ length: 11 }, (_, n) => rule(`${n}`));
  expect(rulesOn(many, signal)).toMatchObject({ others: 3, shown: { length: 8 } });
});
