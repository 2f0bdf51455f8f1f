import type { Acknowledgement, ResolveReason } from "../../../schemas/alert.ts";
import type { AlertId } from "../../../schemas/common.ts";
import type { Alerts } from "./alerts.ts";
import type { PartitionClocks } from "./clocks.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import type { DueHeap } from "./due-heap.ts";
import { isCalm } from "./flaps.ts";
import { fires } from "./limits.ts";
import type { LevelState, RuleCondition, RuleFlaps } from "./ongoing.ts";
import {
  clearLevel,
  compareLevel,
  earliestWaitMs,
  hardestFiring,
  momentOf,
  passLevel,
} from "./rule-levels.ts";
import { comparedValue, secondsOfSilence } from "./rule-values.ts";
import type { SignalState } from "./signal-state.ts";
import type { Step } from "./step.ts";

const inRuleOrder = (a: RuleCondition, b: RuleCondition): number =>
  a.rule.rule.id < b.rule.rule.id ? -1 : 1;

/** Whether the newest reading came outside of the rule's schedule. */
const isClosed = ({ newestAtMs }: SignalState, { schedule }: CompiledRule): boolean =>
  schedule !== null && !schedule.isOpen(newestAtMs);

const isIdle = ({ phase }: LevelState): boolean => phase === "idle";
const idleLevels = (rule: CompiledRule): LevelState[] =>
  rule.levels.map(() => ({ phase: "idle", atMs: 0, recordMs: 0 }));

/**
 * The state machines of the rules on a signal, one for each level: idle, pending (for `forSeconds`), firing, clearing
 * (for `keepFiringForSeconds`). An alert goes from the first level that fires to the end of the last.
 */
export class RuleConditions {
  readonly #clocks: PartitionClocks;
  readonly #alerts: Alerts;
  readonly #step: Step;
  readonly #timers: DueHeap;

  constructor(clocks: PartitionClocks, alerts: Alerts, step: Step, timers: DueHeap) {
    this.#clocks = clocks;
    this.#alerts = alerts;
    this.#step = step;
    this.#timers = timers;
  }

  /** Compares the signal's newest value, in dBm and as quality, both Float32, with every rule that looks at it. */
  compare(signal: SignalState, strength: number, quality: number): void {
    // Both lists stand in rule order, and a condition's rule is always among the signal's.
    const conditions = signal.conditions;
    let next = 0;
    for (const rule of signal.rules) {
      const found = conditions[next];
      const condition = found?.rule.key === rule.key ? found : null;
      if (condition !== null) next++;
      if (rule.silenceMs !== null) continue;
      const value = comparedValue(signal, rule, strength, quality);
      if (condition === null) this.#compareIdle(signal, rule, value);
      else this.#compareOne(signal, condition, value);
    }
  }

  /** Ends every wait that is over by either clock; `atMs` is the time of a reading of the signal, if there is one. */
  passTime(signal: SignalState, atMs: number | null): void {
    this.calmDown(signal, atMs);
    for (const condition of signal.conditions) {
      for (const level of condition.levels) passLevel(level, condition.rule, this.#clocks.recordMs, atMs);
      this.#settle(signal, condition, "recovered");
    }
  }

  /** Before anything else changes: what flapped and is calm by either clock. */
  calmDown(signal: SignalState, atMs: number | null): void {
    for (const flaps of signal.flaps)
      if (isCalm(flaps, this.#clocks.recordMs, atMs)) this.#calm(signal, flaps);
  }

  /** A timer of the signal is due. Afterwards none is, whatever became of its conditions: time cannot stand still here. */
  passTimer(signal: SignalState): void {
    this.passTime(signal, null);
    this.#queue(signal);
  }

  /** A reading came, before it is remembered when: rules on no data clear; a late one is not asked for its time. */
  heard(signal: SignalState, isLate: boolean): void {
    for (const condition of signal.conditions) {
      const { rule, levels } = condition;
      if (rule.silenceMs === null) continue;
      condition.silenceSeconds ??= secondsOfSilence(signal, this.#clocks);
      if (!isLate && isClosed(signal, rule)) {
        this.#end(signal, condition, "schedule");
        continue;
      }
      for (const level of levels) {
        if (level.phase === "pending") level.phase = "idle";
        else clearLevel(level, rule, momentOf(signal, this.#clocks));
      }
      this.#settle(signal, condition, "recovered");
      this.#queue(signal);
    }
  }

  /** The signal has been silent for too long for a rule; outside of its schedule that waits until it opens. */
  silent(signal: SignalState, rule: CompiledRule): void {
    const condition = signal.conditions.find((one) => one.rule.key === rule.key) ?? this.#begun(signal, rule);
    condition.silenceSeconds = null;
    const { recordMs } = this.#clocks;
    const isOpen = rule.schedule?.isOpen(recordMs) ?? true;
    const opensMs = Math.min(rule.schedule?.nextChange(recordMs) ?? recordMs, Number.MAX_SAFE_INTEGER);
    for (const level of condition.levels) {
      const isPending = !isOpen && condition.level < 0;
      if (isPending)
        Object.assign(level, { phase: "pending", atMs: Number.MAX_SAFE_INTEGER, recordMs: opensMs });
      else level.phase = "firing";
    }
    this.#settle(signal, condition, "recovered");
    this.#queue(signal);
  }

  /** Ends those conditions that `ends` picks, whatever the readings say. */
  endAll(signal: SignalState, reason: ResolveReason, ends: (rule: CompiledRule) => boolean): void {
    for (const condition of signal.conditions) if (ends(condition.rule)) this.#end(signal, condition, reason);
    for (const flaps of signal.flaps) if (ends(flaps.rule)) this.#calm(signal, flaps);
  }

  /** The rules of a signal have other limits than before, or do not look for flapping any more. */
  renew(signal: SignalState): void {
    const renewed = (old: CompiledRule) => signal.rules.find(({ rule }) => rule.id === old.rule.id) ?? old;
    for (const condition of signal.conditions) {
      condition.rule = renewed(condition.rule);
      const { value, upper } =
        condition.rule.levels[Math.max(0, condition.level)] ?? condition.rule.levels[0];
      condition.limit = condition.crossedUpper ? upper : value;
    }
    signal.change({ flaps: signal.flaps.map((flaps) => ({ ...flaps, rule: renewed(flaps.rule) })) });
    for (const flaps of signal.flaps) if (!flaps.rule.rule.flapDetection) this.#calm(signal, flaps);
  }

  /** Somebody has taken an alert of the signal on: the first one counts. */
  acknowledge(signal: SignalState, alertId: AlertId, acknowledged: Acknowledgement): void {
    const condition = signal.conditions.find((one) => one.alertId === alertId && one.level >= 0);
    if (condition === undefined || condition.acknowledged !== null) return;
    this.#step.touch(signal);
    this.#alerts.acknowledge(signal, condition, acknowledged);
  }

  #compareIdle(signal: SignalState, rule: CompiledRule, value: number): void {
    if (!fires(rule.levels[0].limits, value)) return;
    if (isClosed(signal, rule)) return;
    this.#compareOne(signal, this.#begun(signal, rule), value);
  }

  #compareOne(signal: SignalState, condition: RuleCondition, value: number): void {
    const { rule, levels } = condition;
    if (isClosed(signal, rule)) {
      this.#end(signal, condition, "schedule");
      return;
    }
    const now = momentOf(signal, this.#clocks);
    for (const [at, level] of levels.entries()) {
      const { limits } = rule.levels[at] ?? rule.levels[0];
      compareLevel(level, rule, limits, value, now);
    }
    this.#settle(signal, condition, "recovered");
    this.#queue(signal);
  }

  #begun(signal: SignalState, rule: CompiledRule): RuleCondition {
    const condition: RuleCondition = {
      rule,
      levels: idleLevels(rule),
      alertId: this.#alerts.newId(),
      level: -1,
      firedAtMs: 0,
      value: Number.NaN,
      limit: rule.levels[0].value,
      crossedUpper: false,
      acknowledged: null,
      told: [],
      held: null,
      silenceSeconds: null,
      silencedBy: [],
    };
    signal.change({ conditions: [...signal.conditions, condition].sort(inRuleOrder) });
    return condition;
  }

  #end(signal: SignalState, condition: RuleCondition, reason: ResolveReason): void {
    for (const level of condition.levels) level.phase = "idle";
    this.#settle(signal, condition, reason);
  }

  /** Once its levels have moved: the alert begins, steps up or down, or resolves. */
  #settle(signal: SignalState, condition: RuleCondition, reason: ResolveReason): void {
    const level = hardestFiring(condition);
    const isOver = level < 0 && (condition.level >= 0 || condition.levels.every(isIdle));
    if (level === condition.level && !isOver) return;
    this.#step.touch(signal);
    if (isOver) signal.change({ conditions: signal.conditions.filter((other) => other !== condition) });
    if (level >= 0) this.#alerts.fire(signal, condition, level);
    else if (condition.level >= 0) this.#alerts.resolve(signal, condition, reason);
    this.#queue(signal);
  }

  #calm(signal: SignalState, flaps: RuleFlaps): void {
    this.#step.touch(signal);
    this.#alerts.calm(signal, flaps);
    this.#queue(signal);
  }

  #queue(signal: SignalState): void {
    const due = earliestWaitMs(signal);
    if (due === Number.POSITIVE_INFINITY) this.#timers.remove(signal.slot);
    else this.#timers.set(signal.slot, Math.max(due, this.#clocks.recordMs + 1));
  }
}
