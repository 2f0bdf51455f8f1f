import { type AlertData, TOLD_TERMS_MAX } from "../../../schemas/alert.ts";
import type { SignalDefinition } from "../../../schemas/change.ts";
import type { SignalId } from "../../../schemas/common.ts";
import type { Reason, Signal } from "../../../schemas/signal.ts";
import { partitionOf } from "../partition.ts";
import { armTimers } from "./arm-timers.ts";
import type { CompiledRule, RuleTemplate } from "./compiled-rule.ts";
import type { OwnCondition, RuleCondition } from "./ongoing.ts";
import { PartitionState } from "./partition-state.ts";
import { admitSignal } from "./signal-changes.ts";
import { NEVER, type SignalState } from "./signal-state.ts";
import { isHeld } from "./silence-changes.ts";
import { sourceMs } from "./source-flows.ts";

interface NewLog {
  readonly logId: string;
  /** How many partitions topic `readings` has there. */
  readonly partitions: number;
}

/** How far the events of a signal have come, as they are stored; 0 for one without any. */
export type SequenceOf = (signalId: SignalId) => number;

/** Another revision of a rule goes on with what the one before knew, if it has as many levels. */
const isSameRule = (a: CompiledRule, b: CompiledRule): boolean =>
  a.rule.id === b.rule.id && a.levels.length === b.levels.length;

/** What an event says of an alert that fires. Whether it was held back is not asked: nothing is told twice. */
const firingCondition = (
  rule: CompiledRule,
  alert: AlertData | undefined,
  { labels }: Signal,
): RuleCondition[] => {
  if (alert === undefined) return [];
  const firedAtMs = Date.parse(alert.firedAt);
  const hardest = rule.levels.findIndex(({ severity }) => severity === alert.severity);
  const level = Math.max(0, hardest);
  return [
    {
      rule,
      levels: rule.levels.map((_, at) => ({
        phase: at <= level ? "firing" : "idle",
        atMs: firedAtMs,
        recordMs: firedAtMs,
      })),
      alertId: alert.id,
      level,
      firedAtMs,
      value: alert.value ?? Number.NaN,
      limit: alert.limit,
      crossedUpper: alert.limit !== rule.levels[level]?.value,
      acknowledged: alert.acknowledged ?? null,
      told: [
        ...(alert.toldAs ?? []),
        { severity: alert.severity, notify: alert.notify ?? null, labels },
      ].slice(-TOLD_TERMS_MAX),
      held: null,
      silenceSeconds: null,
      silencedBy: [],
    },
  ];
};

const ownCondition = (reason: Reason | undefined): OwnCondition | null =>
  reason === undefined ? null : { sinceMs: Date.parse(reason.since), value: reason.value ?? Number.NaN };

/**
 * What the partitions of a log have left behind, as the state in which another log begins, over any number of
 * partitions: definitions, statuses, sequences, waiting rules, firing alerts. Every clock goes on: a signal has been
 * silent for as long as it was, and a source that was held back is not any more.
 */
export class CarriedState {
  readonly #of: NewLog;
  readonly #states: PartitionState[];
  readonly #sequenceOf: SequenceOf;
  readonly #before = new Map<string, number>();

  /**
   * `before`: one state of every partition that had any. `rules`: those that exist, for what no state knows.
   * A sequence is the state's or `sequenceOf`, whichever is further.
   */
  constructor(
    of: NewLog,
    before: readonly PartitionState[],
    rules: readonly RuleTemplate[],
    sequenceOf: SequenceOf,
  ) {
    this.#of = of;
    this.#sequenceOf = sequenceOf;
    const { logId, partitions } = of;
    this.#states = Array.from(
      { length: partitions },
      (_, partition) => new PartitionState({ logId, partition, partitions }),
    );
    const recordMs = Math.max(0, ...before.map(({ clocks }) => clocks.recordMs));
    const noDataMs = Math.max(0, ...before.map(({ clocks }) => clocks.noDataMs));
    for (const { clocks } of this.#states) Object.assign(clocks, { recordMs, noDataMs });
    for (const old of before) this.#takeRules(old);
    for (const rule of rules) this.#takeRule(rule, (known) => known === undefined);
    for (const old of before) this.#takeSignals(old);
  }

  /** By partition; folding goes on at offset 0. */
  get states(): readonly PartitionState[] {
    return this.#states;
  }

  get(signalId: string): SignalDefinition | null {
    return this.#at(signalId).signals.get(signalId)?.definition ?? null;
  }

  /** Adds a signal of which events were told, but which no state knew. */
  admit(definition: SignalDefinition): void {
    const state = this.#at(definition.id);
    admitSignal(state, definition).sequence = this.#sequenceOf(definition.id);
  }

  /** How far the signal's events have come as its state knows; 0 for one that none knew. */
  sequenceBefore(signalId: string): number {
    return this.#before.get(signalId) ?? 0;
  }

  /** Makes a signal what its events say that it is: `view` its newest one, `alerts` the newest of each rule on it. */
  correct(view: Signal, alerts: readonly AlertData[]): void {
    const state = this.#at(view.id);
    const signal = state.signals.get(view.id);
    if (signal === null || signal.settings.paused) return;
    if (view.lastReadingAt !== null && Date.parse(view.lastReadingAt) >= signal.newestAtMs) {
      signal.newestAtMs = Date.parse(view.lastReadingAt);
      signal.strength = view.strength ?? Number.NaN;
      if (signal.lastDataMs === NEVER) signal.lastDataMs = state.clocks.noDataMs;
    }
    const threshold = view.reasons.find(({ kind }) => kind === "threshold");
    const noData = view.reasons.find(({ kind }) => kind === "noData");
    const firing = new Map(
      alerts.filter(({ state: is }) => is === "firing").map((each) => [each.ruleId, each]),
    );
    signal.change({
      belowThreshold: ownCondition(threshold),
      noData: ownCondition(noData),
      conditions: signal.rules.flatMap((rule) => firingCondition(rule, firing.get(rule.rule.id), view)),
    });
    armTimers(state, signal);
  }

  *signals(): Generator<SignalDefinition> {
    for (const { signals } of this.#states) for (const { definition } of signals.all()) yield definition;
  }

  #at(signalId: string): PartitionState {
    const state = this.#states[partitionOf(signalId, this.#of.partitions)];
    if (state === undefined) throw new RangeError("no such partition");
    return state;
  }

  /** Each partition has its own copy of every rule; of two revisions the newer one holds. */
  #takeRules(old: PartitionState): void {
    for (const rule of old.rules.all())
      this.#takeRule(rule, (known) => known === undefined || known.revision < rule.revision);
    for (const { deletedRules, deletedSilences, silences, clocks } of this.#states) {
      for (const tombstone of old.deletedRules.all()) deletedRules.add(tombstone);
      for (const tombstone of old.deletedSilences.all()) deletedSilences.add(tombstone);
      for (const silence of old.silences.all()) {
        const known = silences.get(silence.silence.id);
        if (known === undefined || known.revision < silence.revision) silences.set(silence, clocks.recordMs);
      }
    }
  }

  #takeRule(rule: RuleTemplate, wanted: (known: RuleTemplate | undefined) => boolean): void {
    for (const { rules } of this.#states) if (wanted(rules.get(rule.rule.id))) rules.set(rule);
  }

  #takeSignals(old: PartitionState): void {
    for (const tombstone of old.deletedSignals.all()) this.#at(tombstone.id).deletedSignals.add(tombstone);
    for (const signal of old.signals.all()) this.#take(old, signal);
  }

  #take(old: PartitionState, from: SignalState): void {
    const state = this.#at(from.id);
    const to = admitSignal(state, from.definition);
    this.#before.set(from.id, from.sequence);
    to.sequence = Math.max(from.sequence, this.#sequenceOf(from.id));
    to.newestAtMs = from.newestAtMs;
    to.strength = from.strength;
    if (from.lastDataMs !== NEVER) {
      const silentMs = sourceMs(old.clocks, from.flow) - from.lastDataMs;
      to.lastDataMs = state.clocks.noDataMs - silentMs;
    }
    const kept = <T extends { readonly rule: CompiledRule }>(all: readonly T[]): T[] =>
      all.flatMap((one) => {
        const rule = to.rules.find((candidate) => isSameRule(candidate, one.rule));
        return rule === undefined ? [] : [{ ...one, rule }];
      });
    const { belowThreshold, noData, windows, rhythm, heldFailure } = from;
    const [conditions, flaps] = [kept(from.conditions), kept(from.flaps)];
    to.change({ conditions, flaps, belowThreshold, noData, windows, rhythm, heldFailure });
    if (isHeld(to)) state.step.held.add(to.slot);
    armTimers(state, to);
  }
}
