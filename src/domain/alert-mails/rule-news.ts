import type { RuleId } from "../../../schemas/common.ts";
import type { BeyondNews } from "./box.ts";

/** What is new of one rule's alerts, in figures. */
export interface RuleNews {
  /** Null: of several rules. */
  readonly ruleId: RuleId | null;
  readonly ruleName: string;
  /** Alerts that fire now, and that have resolved; of those beyond the followed ones, how often. */
  readonly firing: number;
  readonly resolved: number;
  /** How often an alert fired, stepped or resolved. */
  readonly news: number;
}

/** A digest tells of several rules: so many are told one by one, unless the address is near its limit. */
export const RULES_APART_MAX = 3;

const plus = (a: RuleNews, b: RuleNews): RuleNews => ({
  ...a,
  firing: a.firing + b.firing,
  resolved: a.resolved + b.resolved,
  news: a.news + b.news,
});

const ofBeyond = ({ ruleId, ruleName, fired, resolved }: BeyondNews): RuleNews => ({
  ruleId,
  ruleName,
  firing: fired,
  resolved,
  news: fired + resolved,
});

/** Those that are followed and those that are counted together, each rule once. */
export const allNews = (followed: readonly RuleNews[], beyond: readonly BeyondNews[]): RuleNews[] => {
  const byRule = new Map<RuleId | null, RuleNews>();
  for (const one of [...followed, ...beyond.map(ofBeyond)]) {
    const other = byRule.get(one.ruleId);
    byRule.set(one.ruleId, other === undefined ? one : plus(other, one));
  }
  return [...byRule.values()];
};

/** The e-mails that news make of which `left` may be sent, at least one: one for each rule, or one for all. */
export const cutNews = (news: readonly RuleNews[], left: number): (readonly RuleNews[])[] =>
  news.length <= Math.min(left, RULES_APART_MAX) ? news.map((one) => [one]) : [news];
