import type { AlertData, ResolveReason } from "../../../schemas/event.ts";
import { shownQuality } from "../quality.ts";
import type { PartitionClocks } from "./clocks.ts";
import type { DueHeap } from "./due-heap.ts";
import type { Emitter } from "./emitter.ts";
import { iso } from "./iso.ts";
import { clears, fires } from "./limits.ts";
import type { CompiledRule } from "./rule-book.ts";
import type { RuleCondition, SignalState } from "./signal-state.ts";
import type { Step } from "./step.ts";

/** The limit that a value crossed, as the rule wrote it. */
const crossedLimit = ({ rule: { condition }, limits }: CompiledRule, value: number): number =>
  value > limits.fireHigh ? (condition.upper ?? condition.value) : condition.value;

/** The newest value that the rule looks at, unrounded. */
const newestValue = ({ strength, definition }: SignalState, rule: CompiledRule): number =>
  rule.onQuality ? shownQuality(strength, definition.floorDbm, definition.ceilingDbm) : strength;

const waitMs = ({ phase, rule }: RuleCondition): number =>
  phase === "pending" ? rule.forMs : rule.keepFiringForMs;

/** When a condition that waits is over by append time. */
const dueMs = (condition: RuleCondition): number => condition.recordMs + waitMs(condition);

const inRuleOrder = (a: RuleCondition, b: RuleCondition): number =>
  a.rule.rule.id < b.rule.rule.id ? -1 : 1;

/** When the conditions of a signal that wait are over by append time: the earliest of them; infinity where none waits. */
export const earliestWaitMs = (signal: SignalState): number =>
  signal.conditions.reduce(
    (earliest, condition) => (condition.phase === "firing" ? earliest : Math.min(earliest, dueMs(condition))),
    Number.POSITIVE_INFINITY,
  );

/**
 * The state machine of a rule on a signal: idle, pending (for `forSeconds`), firing, clearing (for
 * `keepFiringForSeconds`). A reading that does not fire ends pending; one that does not clear ends clearing.
 */
export class RuleConditions {
  readonly #clocks: PartitionClocks;
  readonly #emitter: Emitter;
  readonly #step: Step;
  readonly #timers: DueHeap;

  constructor(clocks: PartitionClocks, emitter: Emitter, step: Step, timers: DueHeap) {
    this.#clocks = clocks;
    this.#emitter = emitter;
    this.#step = step;
    this.#timers = timers;
  }

  /** Compares the signal's newest value, in dBm and as quality, both Float32, with every rule that looks at it. */
  compare(signal: SignalState, strength: number, quality: number): void {
    // Both lists stand in rule order, and a condition's rule is always among the signal's.
    const conditions = signal.conditions;
    let next = 0;
    for (const rule of signal.rules) {
      const value = rule.onQuality ? quality : strength;
      const condition = conditions[next];
      if (condition?.rule === rule) {
        next++;
        this.#compareOne(signal, condition, value);
      } else if (fires(rule.limits, value)) {
        this.#start(signal, rule, value);
      }
    }
  }

  /** Ends every wait that is over by either clock; `atMs` is the time of a reading of the signal, if there is one. */
  passTime(signal: SignalState, atMs: number | null): void {
    for (const condition of signal.conditions) {
      if (condition.phase === "firing") continue;
      const isOverByRecords = dueMs(condition) <= this.#clocks.recordMs;
      const isOverBySource = atMs !== null && atMs - condition.atMs >= waitMs(condition);
      if (!isOverByRecords && !isOverBySource) continue;
      if (condition.phase === "pending") this.#fire(signal, condition);
      else this.#end(signal, condition, "recovered");
    }
  }

  /** A timer of the signal is due. Afterwards none is, whatever became of its conditions: time cannot stand still here. */
  passTimer(signal: SignalState): void {
    this.passTime(signal, null);
    this.#queue(signal);
  }

  /** Ends those conditions that `ends` picks, whatever the readings say. */
  endAll(signal: SignalState, reason: ResolveReason, ends: (condition: RuleCondition) => boolean): void {
    for (const condition of signal.conditions) if (ends(condition)) this.#end(signal, condition, reason);
  }

  #compareOne(signal: SignalState, condition: RuleCondition, value: number): void {
    const { rule, phase } = condition;
    if (phase === "pending") {
      if (!fires(rule.limits, value)) this.#end(signal, condition, "recovered");
      else condition.limit = crossedLimit(rule, value);
    } else if (!clears(rule.limits, value)) {
      if (phase === "clearing") this.#enter(signal, condition, "firing");
    } else if (phase === "firing") {
      if (rule.keepFiringForMs === 0) this.#end(signal, condition, "recovered");
      else this.#enter(signal, condition, "clearing");
    }
  }

  #start(signal: SignalState, rule: CompiledRule, value: number): void {
    const condition: RuleCondition = {
      rule,
      phase: "pending",
      atMs: signal.newestAtMs,
      recordMs: this.#clocks.recordMs,
      alertId: null,
      firedAtMs: 0,
      value: Number.NaN,
      limit: crossedLimit(rule, value),
    };
    signal.conditions = [...signal.conditions, condition].sort(inRuleOrder);
    if (rule.forMs === 0) this.#fire(signal, condition);
    else this.#queue(signal);
  }

  #fire(signal: SignalState, condition: RuleCondition): void {
    this.#step.touch(signal);
    condition.phase = "firing";
    condition.alertId = this.#emitter.alertId();
    condition.firedAtMs = this.#clocks.recordMs;
    condition.value = newestValue(signal, condition.rule);
    this.#queue(signal);
    this.#note(condition, condition.value);
  }

  #enter(signal: SignalState, condition: RuleCondition, phase: "firing" | "clearing"): void {
    condition.phase = phase;
    condition.atMs = signal.newestAtMs;
    condition.recordMs = this.#clocks.recordMs;
    this.#queue(signal);
  }

  #end(signal: SignalState, condition: RuleCondition, reason: ResolveReason): void {
    this.#step.touch(signal);
    signal.conditions = signal.conditions.filter((other) => other !== condition);
    this.#queue(signal);
    this.#note(condition, newestValue(signal, condition.rule), reason);
  }

  /** Tells of a firing, or of the end of one; what was only pending ends unheard. */
  #note(condition: RuleCondition, value: number, resolveReason?: ResolveReason): void {
    const { alertId, rule, limit, firedAtMs } = condition;
    if (alertId === null) return;
    const alert: AlertData = {
      id: alertId,
      ruleId: rule.rule.id,
      ruleName: rule.rule.name,
      severity: rule.rule.severity,
      state: resolveReason === undefined ? "firing" : "resolved",
      firedAt: iso(firedAtMs),
      resolvedAt: resolveReason === undefined ? null : iso(this.#clocks.recordMs),
      value,
      limit,
      ...(resolveReason === undefined ? {} : { resolveReason }),
    };
    this.#step.note(alert);
  }

  #queue(signal: SignalState): void {
    const due = earliestWaitMs(signal);
    if (due === Number.POSITIVE_INFINITY) this.#timers.remove(signal.slot);
    else this.#timers.set(signal.slot, Math.max(due, this.#clocks.recordMs + 1));
  }
}
