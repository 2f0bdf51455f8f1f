import type { AccountId, Labels } from "../../../schemas/common.ts";
import type { Rule } from "../../../schemas/rule.ts";
import { type LevelFound, levelsFor } from "../../../schemas/rule-limits.ts";
import { CompiledSchedule } from "../schedule.ts";
import { conditionLimits, type Limits } from "./limits.ts";
import { type Selectable, Selector } from "./selector.ts";

/** A severity, and from where on an alert has it. */
export interface CompiledLevel extends LevelFound {
  readonly limits: Limits;
}

/** A rule made ready for comparing, its limits those of the signals that share it. Never changed: a new revision is a new one. */
export interface CompiledRule {
  readonly accountId: AccountId;
  readonly revision: number;
  readonly rule: Rule;
  /** The same for all signals for which the rule has the same limits. */
  readonly key: string;
  /** At least one, mildest first: what does not fire the first one fires none. */
  readonly levels: readonly [CompiledLevel, ...CompiledLevel[]];
  readonly onQuality: boolean;
  /** Of a rule on change: what its readings are told apart by, ms. */
  readonly changeStepMs: number | null;
  /** Of a rule on no data: the silence that is too long. */
  readonly silenceMs: number | null;
  readonly schedule: CompiledSchedule | null;
  /** Whole milliseconds, as the times that they are added to: their sum is exact. */
  readonly forMs: number;
  readonly keepFiringForMs: number;
}

/** How many steps of a change's span are told apart. */
export const CHANGE_STEPS = 12;

/** Null: the rule has no limit for a signal of these labels, and rests on it. */
const compiledLevels = (rule: Rule, labels: Labels): CompiledLevel[] | null =>
  levelsFor(rule, labels)?.map((level) => ({
    ...level,
    limits: conditionLimits(rule.condition, level.value, level.upper),
  })) ?? null;

/** A rule with what is the same for every signal, and the variants that their labels make of it. */
export class RuleTemplate {
  readonly accountId: AccountId;
  readonly revision: number;
  readonly rule: Rule;
  readonly #selector: Selector;
  readonly #schedule: CompiledSchedule | null;
  readonly #variants = new Map<string, CompiledRule>();

  constructor(accountId: AccountId, revision: number, rule: Rule) {
    this.accountId = accountId;
    this.revision = revision;
    this.rule = rule;
    this.#selector = new Selector(rule.select);
    this.#schedule = rule.schedule === null ? null : new CompiledSchedule(rule.schedule);
  }

  /** As it looks at a signal; null: not at all, as a disabled rule does. */
  for(signal: Selectable): CompiledRule | null {
    return this.rule.enabled && this.#selector.takes(signal) ? this.#with(signal.labels) : null;
  }

  #with(labels: Labels): CompiledRule | null {
    const { valueFrom, upperFrom } = this.rule.condition;
    const own = [valueFrom, upperFrom].map((from) => from && (labels[from.label] ?? null));
    const variant = own.some(Boolean) ? JSON.stringify(own) : "";
    const known = this.#variants.get(variant);
    if (known !== undefined) return known;
    const [first, ...others] = compiledLevels(this.rule, labels) ?? [];
    if (first === undefined) return null;
    const made = this.#compiled(`${this.rule.id} ${this.revision} ${variant}`, [first, ...others]);
    if (this.#variants.size >= VARIANTS_MAX) this.#variants.clear();
    this.#variants.set(variant, made);
    return made;
  }

  #compiled(key: string, levels: CompiledRule["levels"]): CompiledRule {
    const { accountId, revision, rule } = this;
    const { condition, forSeconds, keepFiringForSeconds } = rule;
    const overMs = (condition.overSeconds ?? 0) * 1000;
    return {
      accountId,
      revision,
      rule,
      key,
      levels,
      onQuality: condition.metric === "quality",
      changeStepMs: condition.operator === "change" ? Math.ceil(overMs / CHANGE_STEPS) : null,
      silenceMs: condition.operator === "noData" ? overMs : null,
      schedule: this.#schedule,
      forMs: Math.round(forSeconds * 1000),
      keepFiringForMs: Math.round(keepFiringForSeconds * 1000),
    };
  }
}

/** Labels may change for ever: variants that are still in use live on, and are made again for others. */
const VARIANTS_MAX = 10_000;
