import type { AlertData, ResolveReason } from "../../../schemas/alert.ts";
import type { AlertId } from "../../../schemas/common.ts";
import type { PartitionClocks } from "./clocks.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import type { Emitter } from "./emitter.ts";
import { countFlap, flapsOf, isFlapping } from "./flaps.ts";
import { iso } from "./iso.ts";
import { momentOf } from "./rule-levels.ts";
import { crossedLimit, newestValue } from "./rule-values.ts";
import type { EndedAlert, Hush, RuleCondition, RuleFlaps, SignalState } from "./signal-state.ts";
import type { SilenceBook } from "./silence-book.ts";
import type { Step } from "./step.ts";

const FLAPPING: Hush = { heldBy: "flapping" };

const severityOf = ({ rule, level }: RuleCondition) => (rule.levels[level] ?? rule.levels[0]).severity;

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

  /** Of an alert that may come of a rule: while the rule flaps, the one before goes on. */
  idFor(signal: SignalState, rule: CompiledRule): AlertId {
    const flaps = flapsOf(signal, rule);
    if (flaps !== null && flaps.flapping > 0 && flaps.ended !== null) return flaps.ended.id;
    return this.#emitter.alertId();
  }

  /** The alert begins at a level, or steps to another one. */
  fire(signal: SignalState, condition: RuleCondition, level: number): void {
    const begins = condition.level < 0;
    const previousSeverity = severityOf(condition);
    const { rule } = condition;
    condition.level = level;
    condition.value = newestValue(signal, rule, this.#clocks);
    condition.limit = crossedLimit(rule.levels[level] ?? rule.levels[0], Math.fround(condition.value));
    if (!begins) {
      this.#noteFiring(signal, condition, { previousSeverity }, this.#hushOf(signal, condition));
      return;
    }
    condition.alertId ??= this.idFor(signal, rule);
    condition.firedAtMs = this.#clocks.recordMs;
    const beganToFlap = countFlap(signal, rule, momentOf(signal, this.#clocks), null);
    const more = beganToFlap ? flapping("began", flapsOf(signal, rule)) : {};
    const hush = beganToFlap ? this.#silenceOf(signal, condition) : this.#hushOf(signal, condition);
    this.#noteFiring(signal, condition, more, hush);
  }

  resolve(signal: SignalState, condition: RuleCondition, resolveReason: ResolveReason): void {
    const { rule, alertId, firedAtMs, limit, acknowledged, told, held } = condition;
    const ended = this.#ended(condition);
    condition.level = -1;
    if (alertId === null || ended === null) return;
    const wasFlapping = isFlapping(signal, rule);
    const beganToFlap = countFlap(signal, rule, momentOf(signal, this.#clocks), ended);
    const alert: AlertData = {
      ...this.#common(rule, { id: alertId, severity: ended.severity, firedAtMs, limit, acknowledged }),
      state: "resolved",
      resolvedAt: iso(this.#clocks.recordMs),
      value: newestValue(signal, rule, this.#clocks),
      resolveReason,
      ...(beganToFlap ? flapping("began", flapsOf(signal, rule)) : {}),
    };
    const untold = told ? null : (held?.by ?? this.#silenceOf(signal, condition));
    this.#step.note({ kind: "alert.resolved", condition, alert, hush: wasFlapping ? FLAPPING : untold });
  }

  /** A rule is calm again: where it flapped, what it came to is told. */
  calm(signal: SignalState, flaps: RuleFlaps): void {
    const { rule, ended } = flaps;
    signal.flaps = signal.flaps.filter((other) => other !== flaps);
    if (flaps.flapping === 0) return;
    const summary = flapping("ended", flaps);
    const condition = signal.conditions.find((one) => one.rule.key === rule.key && one.level >= 0);
    if (condition !== undefined) {
      const repeat = condition.held === null ? {} : { repeatOf: condition.held.event };
      this.#noteFiring(signal, condition, { ...summary, ...repeat }, this.#silenceOf(signal, condition));
    } else if (ended !== null) {
      const alert: AlertData = {
        ...this.#common(rule, ended),
        state: "resolved",
        resolvedAt: iso(ended.resolvedAtMs),
        value: newestValue(signal, rule, this.#clocks),
        resolveReason: "recovered",
        ...summary,
      };
      const silencedBy = this.#silences.covering(signal.definition, rule.rule.id);
      const hush = silencedBy === null ? null : { silencedBy };
      this.#step.note({ kind: "alert.resolved", condition: null, alert, hush });
    }
  }

  acknowledged(signal: SignalState, condition: RuleCondition): void {
    const { told, held } = condition;
    const alert = this.#firing(condition);
    const hush = told ? null : (held?.by ?? this.#hushOf(signal, condition));
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

  #noteFiring(
    signal: SignalState,
    condition: RuleCondition,
    more: Partial<AlertData>,
    hush: Hush | null,
  ): void {
    const alert = this.#firing(condition);
    if (alert !== null)
      this.#step.note({ kind: "alert.firing", condition, alert: { ...alert, ...more }, hush });
    signal.rouse();
  }

  #firing(condition: RuleCondition): AlertData | null {
    const { rule, alertId, value } = condition;
    if (alertId === null) return null;
    const severity = severityOf(condition);
    const common = this.#common(rule, { ...condition, id: alertId, severity });
    return { ...common, state: "firing", resolvedAt: null, value };
  }

  #common(
    { rule }: CompiledRule,
    alert: Pick<EndedAlert, "id" | "severity" | "firedAtMs" | "limit" | "acknowledged">,
  ) {
    const { id, severity, firedAtMs, limit, acknowledged } = alert;
    return {
      id,
      ruleId: rule.id,
      ruleName: rule.name,
      severity,
      firedAt: iso(firedAtMs),
      limit,
      ...(acknowledged === null ? {} : { acknowledged }),
      ...(rule.notify === null ? {} : { notify: rule.notify }),
    };
  }

  #ended(condition: RuleCondition): EndedAlert | null {
    const { alertId: id, firedAtMs, limit, acknowledged } = condition;
    if (id === null) return null;
    const resolvedAtMs = this.#clocks.recordMs;
    return { id, severity: severityOf(condition), firedAtMs, resolvedAtMs, limit, acknowledged };
  }

  #silenceOf(signal: SignalState, { rule, silencedBy }: RuleCondition): Hush | null {
    const by = silencedBy ?? this.#silences.covering(signal.definition, rule.rule.id);
    return by === null ? null : { silencedBy: by };
  }

  #hushOf(signal: SignalState, condition: RuleCondition): Hush | null {
    return this.#silenceOf(signal, condition) ?? (isFlapping(signal, condition.rule) ? FLAPPING : null);
  }
}

export type AlertNote = {
  readonly kind: "alert.firing" | "alert.resolved" | "alert.acknowledged";
  /** Whose alert it is, while it fires. */
  readonly condition: RuleCondition | null;
  readonly alert: AlertData;
  /** Null: it is delivered. */
  readonly hush: Hush | null;
};
