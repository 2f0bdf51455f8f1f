import type { Acknowledgement, AlertData, ResolveReason } from "../../../schemas/alert.ts";
import type { AlertId } from "../../../schemas/common.ts";
import type { Severity } from "../../../schemas/condition.ts";
import type { PartitionClocks } from "./clocks.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import type { Emitter } from "./emitter.ts";
import { countFlap, flapsOf, isFlapping } from "./flaps.ts";
import { iso } from "./iso.ts";
import type { EndedAlert, Hush, RuleCondition, RuleFlaps } from "./ongoing.ts";
import { momentOf, severityOf } from "./rule-levels.ts";
import { newestValue } from "./rule-values.ts";
import type { SignalState } from "./signal-state.ts";
import type { SilenceBook } from "./silence-book.ts";
import type { Step } from "./step.ts";
import { termsOf, toldAs, withTerms } from "./told-terms.ts";

/** An event of an alert, to be told at the end of the step. */
export interface AlertNote {
  readonly kind: "alert.firing" | "alert.resolved" | "alert.acknowledged";
  /** Whose alert it is, while it fires. */
  readonly condition: RuleCondition | null;
  readonly alert: AlertData;
  /** Null: it is delivered. */
  readonly hush: Hush | null;
}

const FLAPPING: Hush = { heldBy: "flapping" };

const levelOf = ({ rule, level }: RuleCondition) => rule.levels[level] ?? rule.levels[0];

/** The flapping of a rule, as an event tells of its beginning or its end. */
const flapping = (state: "began" | "ended", flaps: RuleFlaps | null): Pick<AlertData, "flapping"> =>
  flaps === null ? {} : { flapping: { state, changes: flaps.flapping, since: iso(flaps.sinceMs) } };

/** Tells what becomes of alerts, and decides what is held back: every transition is told, but not to everybody. */
export class Alerts {
  readonly #clocks: PartitionClocks;
  readonly #emitter: Emitter;
  readonly #step: Step;
  readonly #silences: SilenceBook;

  constructor(clocks: PartitionClocks, emitter: Emitter, step: Step, silences: SilenceBook) {
    this.#clocks = clocks;
    this.#emitter = emitter;
    this.#step = step;
    this.#silences = silences;
  }

  /** Of an alert that may come of what pends now. */
  newId(): AlertId {
    return this.#emitter.alertId();
  }

  /** The alert begins at a level, or steps to another one. */
  fire(signal: SignalState, condition: RuleCondition, level: number): void {
    const begins = condition.level < 0;
    const previousSeverity = severityOf(condition);
    condition.level = level;
    condition.value = newestValue(signal, condition, this.#clocks);
    const { value, upper } = levelOf(condition);
    // What is beyond an end is nearer to it; so is one end nearer where limits have moved away since it was pending.
    condition.crossedUpper = condition.value - value > upper - condition.value;
    condition.limit = condition.crossedUpper ? upper : value;
    if (begins) this.#begin(signal, condition);
    else this.#noteChange(signal, condition, { previousSeverity });
  }

  resolve(signal: SignalState, condition: RuleCondition, resolveReason: ResolveReason): void {
    const { rule, told, held } = condition;
    const isTold = told.length > 0;
    const ended = this.#ended(signal, condition, resolveReason);
    const hushNow = this.#hushOf(signal, condition);
    condition.level = -1;
    if (ended === null) return;
    const isDropped = resolveReason !== "recovered" && resolveReason !== "schedule";
    const wasFlapping = isFlapping(signal, rule);
    const change = momentOf(signal, this.#clocks);
    const stillTold = wasFlapping ? told : [];
    const beganToFlap =
      (!isDropped || wasFlapping) && countFlap(signal, rule, { change, ended, told: stillTold });
    const more = beganToFlap ? flapping("began", flapsOf(signal, rule)) : {};
    const unheard = hushNow ?? held?.by ?? null;
    const hush = isTold ? (wasFlapping ? FLAPPING : null) : unheard;
    const alert = { ...this.#resolved(signal, rule, { ...ended, told }), ...more };
    this.#step.note({ kind: "alert.resolved", condition, alert, hush });
  }

  /** A rule is calm again, or looks for no calm any more: where it flapped, what it came to is told. */
  calm(signal: SignalState, flaps: RuleFlaps): void {
    const { rule, ended, told } = flaps;
    signal.change({ flaps: signal.flaps.filter((other) => other !== flaps) });
    if (flaps.flapping === 0) return;
    const summary = flapping("ended", flaps);
    const condition = signal.conditions.find((one) => one.rule.key === rule.key && one.level >= 0);
    if (condition !== undefined) {
      const repeat = condition.held === null ? {} : { repeatOf: condition.held.event };
      this.#noteFiring(signal, condition, { ...summary, ...repeat }, this.#hushOf(signal, condition));
    } else if (ended !== null) {
      const alert = { ...this.#resolved(signal, rule, { ...ended, told }), ...summary };
      const hush = told.length > 0 ? null : this.#silenceOf(signal, rule, []);
      this.#step.note({ kind: "alert.resolved", condition: null, alert, hush });
    }
  }

  acknowledge(signal: SignalState, condition: RuleCondition, acknowledged: Acknowledgement): void {
    condition.acknowledged = acknowledged;
    const { told, held, rule } = condition;
    const alert = this.#firing(signal, condition);
    const unheard = this.#hushOf(signal, condition) ?? held?.by ?? null;
    const hush = told.length > 0 ? (isFlapping(signal, rule) ? FLAPPING : null) : unheard;
    if (alert !== null) this.#step.note({ kind: "alert.acknowledged", condition, alert, hush });
  }

  /** Tells again of what was held back, goes on, and is not held back any more. */
  retell(signal: SignalState): void {
    this.#step.touch(signal);
    for (const condition of signal.conditions) {
      const { held, level } = condition;
      if (held === null || level < 0 || this.#hushOf(signal, condition) !== null) continue;
      this.#noteFiring(signal, condition, { repeatOf: held.event }, null);
    }
  }

  #begin(signal: SignalState, condition: RuleCondition): void {
    const { rule } = condition;
    const again = flapsOf(signal, rule);
    if (again !== null && again.flapping > 0 && again.ended !== null) {
      // What flaps is one alert, however often it fires again.
      condition.alertId = again.ended.id;
      condition.acknowledged = again.ended.acknowledged;
      condition.told = again.told;
    }
    condition.alertId ??= this.newId();
    condition.firedAtMs = this.#clocks.recordMs;
    this.#noteChange(signal, condition, {});
  }

  /** That it begins or steps is a change of the rule on the signal: the one that is too many is still told. */
  #noteChange(signal: SignalState, condition: RuleCondition, more: Partial<AlertData>): void {
    const { rule, silencedBy, told } = condition;
    const change = momentOf(signal, this.#clocks);
    if (!countFlap(signal, rule, { change, ended: null, told })) {
      this.#noteFiring(signal, condition, more, this.#hushOf(signal, condition));
      return;
    }
    const began = flapping("began", flapsOf(signal, rule));
    this.#noteFiring(signal, condition, { ...more, ...began }, this.#silenceOf(signal, rule, silencedBy));
  }

  #noteFiring(
    signal: SignalState,
    condition: RuleCondition,
    more: Partial<AlertData>,
    hush: Hush | null,
  ): void {
    const alert = this.#firing(signal, condition);
    if (alert === null) return;
    if (hush === null) {
      condition.held = null;
      condition.told = withTerms(condition.told, termsOf(signal, condition.rule, alert.severity));
    }
    this.#step.note({ kind: "alert.firing", condition, alert: { ...alert, ...more }, hush });
  }

  #firing(signal: SignalState, condition: RuleCondition): AlertData | null {
    const { rule, alertId: id } = condition;
    const value = newestValue(signal, condition, this.#clocks);
    if (id === null) return null;
    const common = this.#common(signal, rule, { ...condition, id, severity: severityOf(condition) });
    return { ...common, state: "firing", resolvedAt: null, value };
  }

  #resolved(
    signal: SignalState,
    rule: CompiledRule,
    ended: EndedAlert & Pick<RuleCondition, "told">,
  ): AlertData {
    const { resolvedAtMs, value, resolveReason } = ended;
    const common = this.#common(signal, rule, ended);
    return { ...common, state: "resolved", resolvedAt: iso(resolvedAtMs), value, resolveReason };
  }

  #common(
    signal: SignalState,
    compiled: CompiledRule,
    { id, severity, firedAtMs, limit, acknowledged, told }: AlertFigures,
  ): Omit<AlertData, "state" | "resolvedAt" | "value"> {
    const { rule } = compiled;
    return {
      id,
      ruleId: rule.id,
      ruleName: rule.name,
      severity,
      firedAt: iso(firedAtMs),
      limit,
      ...(acknowledged === null ? {} : { acknowledged }),
      ...(rule.notify === null ? {} : { notify: rule.notify }),
      ...toldAs(told, termsOf(signal, compiled, severity)),
    };
  }

  #ended(signal: SignalState, condition: RuleCondition, resolveReason: ResolveReason): EndedAlert | null {
    const { alertId: id, firedAtMs, limit, acknowledged } = condition;
    if (id === null) return null;
    const severity = severityOf(condition);
    const resolvedAtMs = this.#clocks.recordMs;
    const value = newestValue(signal, condition, this.#clocks);
    return { id, severity, firedAtMs, resolvedAtMs, resolveReason, value, limit, acknowledged };
  }

  /** The smallest id of all silences that cover the alert: of time, and of its own. */
  #silenceOf(signal: SignalState, { rule }: CompiledRule, own: RuleCondition["silencedBy"]): Hush | null {
    const covering = this.#silences.covering(signal, rule.id);
    const [silencedBy] = [...own, ...(covering === null ? [] : [covering])].sort();
    return silencedBy === undefined ? null : { silencedBy };
  }

  #hushOf(signal: SignalState, { rule, silencedBy }: RuleCondition): Hush | null {
    const silence = this.#silenceOf(signal, rule, silencedBy);
    return isFlapping(signal, rule) ? { ...silence, ...FLAPPING } : silence;
  }
}

interface AlertFigures {
  readonly id: AlertId;
  readonly severity: Severity;
  readonly firedAtMs: number;
  readonly limit: number;
  readonly acknowledged: Acknowledgement | null;
  readonly told: RuleCondition["told"];
}
