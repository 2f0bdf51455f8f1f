import type { Remedy } from "../../../schemas/backtest.ts";
import type { SignalDefinition } from "../../../schemas/change.ts";
import { RuleId } from "../../../schemas/common.ts";
import { effectiveHysteresis } from "../../../schemas/condition.ts";
import { Rule, ruleProblems } from "../../../schemas/rule.ts";
import type { Slices } from "../evaluation/pace.ts";
import { ulid } from "../ids.ts";
import type { LineView } from "../reading-line.ts";
import { FlapCounter } from "./flaps.ts";
import { COSTS, lineSlices } from "./line-slices.ts";
import { PastSignal } from "./past-signal.ts";

/** A remedy leaves at most this share of the changes. */
const LEFT_MAX = 0.25;
/** And makes the rule fire for at most so many times as long: else it would only hide that it is over. */
const LONGER_MAX = 3;
const HYSTERESES_DB = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20];
const HYSTERESES_QUALITY = [0.02, 0.05, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4];
const WAITS_S = [2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800];

/** Readings that are looked at, unless the rule has changed so often before. */
const READINGS_MAX = 200_000;
const CHANGES_MAX = 400;

const SILENCES_S = [30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200];

type Change = Remedy["change"];

/** What could be different about a rule: wider hystereses, then longer waits or silences, each from the one nearest to what is. */
const changesOf = ({ condition, forSeconds }: Rule): Change[] => {
  const { operator, overSeconds = 0 } = condition;
  if (operator === "noData")
    return SILENCES_S.filter((seconds) => seconds > overSeconds).map((seconds) => ({ overSeconds: seconds }));
  const widths = condition.metric === "quality" ? HYSTERESES_QUALITY : HYSTERESES_DB;
  return [
    ...widths
      .filter((hysteresis) => hysteresis > effectiveHysteresis(condition))
      .map((hysteresis) => ({ hysteresis })),
    ...WAITS_S.filter((seconds) => seconds > forSeconds).map((seconds) => ({ forSeconds: seconds })),
  ];
};

const NO_CHANCE = new Uint8Array(10);
const numbered = (n: number): RuleId => RuleId.parse(`rul_${ulid(n, NO_CHANCE)}`);

/** The rule with the change; null where such a rule may not be. */
const changed = (rule: Rule, { forSeconds, ...ofCondition }: Change, id: RuleId): Rule | null => {
  const condition = { ...rule.condition, ...ofCondition };
  const made = Rule.safeParse({ ...rule, ...(forSeconds !== undefined && { forSeconds }), condition, id });
  return made.success && ruleProblems(made.data).length === 0 ? made.data : null;
};

interface Tried {
  readonly rule: Rule;
  /** Null: the rule as it is. */
  readonly change: Change | null;
  readonly flaps: FlapCounter;
  openSinceMs: number | null;
  firingMs: number;
}

/** A rule and variants of it, all at once over the same readings of one signal. */
export class Remedies {
  readonly #tried: readonly Tried[];
  readonly #byRule: ReadonlyMap<string, Tried>;
  readonly #past: PastSignal;
  #readings = 0;
  #events = 0;
  #lastMs = Number.NaN;

  constructor(definition: SignalDefinition, rule: Rule) {
    const variants = [null, ...changesOf(rule)].flatMap((change, n): Tried[] => {
      const made = changed(rule, change ?? {}, numbered(n));
      const flaps = new FlapCounter();
      return made === null ? [] : [{ rule: made, change, flaps, openSinceMs: null, firingMs: 0 }];
    });
    this.#tried = variants;
    this.#byRule = new Map(variants.map((one) => [one.rule.id, one]));
    this.#past = new PastSignal(
      definition,
      variants.map((one) => one.rule),
      {
        event: ({ data: { alert }, createdAt }) => this.#note(alert, Date.parse(createdAt)),
        refused: () => undefined,
      },
    );
  }

  /** Whether more readings would not say more. */
  get isEnough(): boolean {
    return this.#readings >= READINGS_MAX || (this.#tried[0]?.flaps.changes ?? 0) >= CHANGES_MAX;
  }

  /** Whole lines of the signal, oldest first. */
  lines(block: Uint8Array): Slices {
    return lineSlices(
      block,
      (bytes, view) => this.#line(bytes, view),
      () => undefined,
    );
  }

  /** The smallest wider hysteresis and the smallest longer wait, or silence, that calm the rule, as far as there are any. */
  found(): Remedy[] {
    const [before, ...others] = this.#tried;
    if (before === undefined) return [];
    const calming = others.filter((after) => this.#calms(before, after));
    const firstOf = (field: keyof Change) => calming.find(({ change }) => change?.[field] !== undefined);
    return [firstOf("hysteresis"), firstOf("forSeconds"), firstOf("overSeconds")].flatMap((tried) =>
      tried === undefined || tried.change === null
        ? []
        : [{ change: tried.change, changes: tried.flaps.changes }],
    );
  }

  #line(block: Uint8Array, { start, end, atMs }: LineView): number {
    if (this.isEnough) return 0;
    const events = this.#events;
    this.#readings++;
    this.#lastMs = atMs;
    this.#past.read(block.subarray(start, end), atMs);
    return this.#tried.length * COSTS.reading + COSTS.event * (this.#events - events);
  }

  #note(alert: { ruleId: string; state: string } | undefined, atMs: number): void {
    this.#events++;
    const tried = this.#byRule.get(alert?.ruleId ?? "");
    if (alert === undefined || tried === undefined) return;
    const fires = alert.state === "firing";
    if (fires === (tried.openSinceMs !== null)) return;
    tried.flaps.add(atMs);
    tried.firingMs += fires ? 0 : atMs - (tried.openSinceMs ?? atMs);
    tried.openSinceMs = fires ? atMs : null;
  }

  #calms(before: Tried, after: Tried): boolean {
    const { changes, isFlapping } = after.flaps;
    if (isFlapping || changes > before.flaps.changes * LEFT_MAX) return false;
    return this.#firingMs(after) <= this.#firingMs(before) * LONGER_MAX;
  }

  #firingMs({ firingMs, openSinceMs }: Tried): number {
    return firingMs + (openSinceMs === null ? 0 : this.#lastMs - openSinceMs);
  }
}
