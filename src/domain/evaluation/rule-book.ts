import type { AccountId, RuleId } from "../../../schemas/common.ts";
import type { Rule } from "../../../schemas/rule.ts";
import type { CompiledRule, RuleTemplate } from "./compiled-rule.ts";
import { sameJson } from "./same.ts";
import type { Selectable } from "./selector.ts";

const evaluated = ({ name: _, notify: __, flapDetection: ___, updatedAt: ____, ...rest }: Rule) => rest;
/** Whether two revisions of a rule judge alike: a rename does not matter, nor who hears of it and how often. */
export const judgesAlike = (a: Rule, b: Rule): boolean => sameJson(evaluated(a), evaluated(b));

const byId = (a: RuleTemplate, b: RuleTemplate): number => (a.rule.id < b.rule.id ? -1 : 1);

/** The rules of all accounts; an account's stand in the order of their ids, which is that of their making. */
export class RuleBook {
  readonly #byId = new Map<RuleId, RuleTemplate>();
  readonly #byAccount = new Map<AccountId, readonly RuleTemplate[]>();
  /** One list for all signals that the same rules look at. */
  readonly #lists = new Map<string, readonly CompiledRule[]>();

  get size(): number {
    return this.#byId.size;
  }

  get(id: RuleId): RuleTemplate | undefined {
    return this.#byId.get(id);
  }

  set(template: RuleTemplate): void {
    this.delete(template.rule.id);
    this.#byId.set(template.rule.id, template);
    const others = this.#byAccount.get(template.accountId) ?? [];
    this.#byAccount.set(template.accountId, [...others, template].sort(byId));
  }

  delete(id: RuleId): void {
    const old = this.#byId.get(id);
    this.#lists.clear();
    if (old === undefined) return;
    this.#byId.delete(id);
    const others = (this.#byAccount.get(old.accountId) ?? []).filter(({ rule }) => rule.id !== id);
    if (others.length === 0) this.#byAccount.delete(old.accountId);
    else this.#byAccount.set(old.accountId, others);
  }

  all(): RuleTemplate[] {
    return [...this.#byId.values()];
  }

  /** The rules of the account that look at this signal, in rule order. */
  matching(accountId: AccountId, signal: Selectable): readonly CompiledRule[] {
    const found = (this.#byAccount.get(accountId) ?? [])
      .map((template) => template.for(signal))
      .filter((rule) => rule !== null);
    const key = found.map((rule) => rule.key).join();
    const shared = this.#lists.get(key);
    if (shared !== undefined) return shared;
    this.#lists.set(key, found);
    return found;
  }
}
