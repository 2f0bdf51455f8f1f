import type { SignalDefinition } from "../../../schemas/change.ts";
import type { AccountId, RuleId } from "../../../schemas/common.ts";
import type { Rule } from "../../../schemas/rule.ts";
import { conditionLimits, type Limits } from "./limits.ts";
import { sameJson } from "./same.ts";

/** A rule made ready for comparing. Never changed: a new revision is a new one. */
export interface CompiledRule {
  readonly accountId: AccountId;
  readonly revision: number;
  readonly rule: Rule;
  readonly limits: Limits;
  /** Null: signals are not named one by one. */
  readonly signalIds: ReadonlySet<string> | null;
  readonly onQuality: boolean;
  /** Whole milliseconds, as the times that they are added to: their sum is exact. */
  readonly forMs: number;
  readonly keepFiringForMs: number;
}

export const compileRule = (accountId: AccountId, revision: number, rule: Rule): CompiledRule => ({
  accountId,
  revision,
  rule,
  limits: conditionLimits(rule.condition),
  signalIds: rule.select.signalIds === undefined ? null : new Set(rule.select.signalIds),
  onQuality: rule.condition.metric === "quality",
  forMs: Math.round(rule.forSeconds * 1000),
  keepFiringForMs: Math.round(rule.keepFiringForSeconds * 1000),
});

const evaluated = ({ id: _, name: __, createdAt: ___, updatedAt: ____, ...rest }: Rule) => rest;
/** Whether two revisions of a rule judge alike: a rename does not matter. */
export const judgesAlike = (a: Rule, b: Rule): boolean => sameJson(evaluated(a), evaluated(b));

type Selectable = Pick<SignalDefinition, "labels" | "sourceId"> & { readonly id: string };

/** All that the rule's selection names must match; a disabled rule selects nothing. */
export const selects = ({ rule, signalIds }: CompiledRule, signal: Selectable): boolean => {
  const { labels, sourceId } = rule.select;
  if (!rule.enabled) return false;
  if (sourceId !== undefined && sourceId !== signal.sourceId) return false;
  if (signalIds !== null && !signalIds.has(signal.id)) return false;
  return Object.entries(labels ?? {}).every(([key, value]) => signal.labels[key] === value);
};

const byId = (a: CompiledRule, b: CompiledRule): number => (a.rule.id < b.rule.id ? -1 : 1);

/** The rules of all accounts; an account's stand in the order of their ids, which is that of their making. */
export class RuleBook {
  readonly #byId = new Map<RuleId, CompiledRule>();
  readonly #byAccount = new Map<AccountId, readonly CompiledRule[]>();
  /** One list for all signals that the same rules look at. */
  readonly #lists = new Map<string, readonly CompiledRule[]>();

  get size(): number {
    return this.#byId.size;
  }

  get(id: RuleId): CompiledRule | undefined {
    return this.#byId.get(id);
  }

  set(compiled: CompiledRule): void {
    this.delete(compiled.rule.id);
    this.#byId.set(compiled.rule.id, compiled);
    const others = this.#byAccount.get(compiled.accountId) ?? [];
    this.#byAccount.set(compiled.accountId, [...others, compiled].sort(byId));
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

  all(): CompiledRule[] {
    return [...this.#byId.values()];
  }

  /** The rules of the account that look at this signal, in rule order. */
  matching(accountId: AccountId, signal: Selectable): readonly CompiledRule[] {
    const found = (this.#byAccount.get(accountId) ?? []).filter((rule) => selects(rule, signal));
    const key = found.map(({ rule }) => rule.id).join();
    const shared = this.#lists.get(key);
    if (shared !== undefined) return shared;
    this.#lists.set(key, found);
    return found;
  }
}
