import type { SignalDefinition } from "../../../schemas/change.ts";
import { partitionOf } from "../partition.ts";
import { armTimers } from "./arm-timers.ts";
import { PartitionState } from "./partition-state.ts";
import { admitSignal } from "./signal-changes.ts";
import { NEVER, type RuleCondition, type SignalState } from "./signal-state.ts";
import { sourceMs } from "./source-flows.ts";

interface NewLog {
  readonly logId: string;
  /** How many partitions topic `readings` has there. */
  readonly partitions: number;
}

/** How far the events of a signal have come, as they are stored; 0 for one without any. */
export type SequenceOf = (signalId: string) => number;

/**
 * What the partitions of a log have left behind, as the state in which another log begins, over any number of
 * partitions: definitions, statuses, sequences, waiting rules, firing alerts. Every clock goes on: a signal has been
 * silent for as long as it was, and a source that was held back is not any more.
 */
export class CarriedState {
  readonly #of: NewLog;
  readonly #states: PartitionState[];
  readonly #sequenceOf: SequenceOf;

  /** `before`: one state of every partition that had any. A sequence is the state's or `sequenceOf`, whichever is further. */
  constructor(of: NewLog, before: readonly PartitionState[], sequenceOf: SequenceOf) {
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
    for (const old of before) this.#takeSignals(old);
  }

  /** By partition; folding goes on at offset 0. */
  get states(): readonly PartitionState[] {
    return this.#states;
  }

  has(signalId: string): boolean {
    return this.#at(signalId).signals.get(signalId) !== null;
  }

  /** Adds a signal of which events were told, but which no state knew. */
  admit(definition: SignalDefinition): void {
    const state = this.#at(definition.id);
    admitSignal(state, definition).sequence = this.#sequenceOf(definition.id);
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
    for (const state of this.#states) {
      for (const rule of old.rules.all()) {
        const known = state.rules.get(rule.rule.id);
        if (known === undefined || known.revision < rule.revision) state.rules.set(rule);
      }
      for (const tombstone of old.deletedRules.all()) state.deletedRules.add(tombstone);
    }
  }

  #takeSignals(old: PartitionState): void {
    for (const tombstone of old.deletedSignals.all()) this.#at(tombstone.id).deletedSignals.add(tombstone);
    for (const signal of old.signals.all()) this.#take(old, signal);
  }

  #take(old: PartitionState, from: SignalState): void {
    const state = this.#at(from.id);
    const to = admitSignal(state, from.definition);
    to.sequence = Math.max(from.sequence, this.#sequenceOf(from.id));
    to.newestAtMs = from.newestAtMs;
    to.strength = from.strength;
    to.thresholdSinceMs = from.thresholdSinceMs;
    to.thresholdValue = from.thresholdValue;
    to.noDataSinceMs = from.noDataSinceMs;
    to.noDataValue = from.noDataValue;
    if (from.lastDataMs !== NEVER) {
      const silentMs = sourceMs(old.clocks, from.flow) - from.lastDataMs;
      to.lastDataMs = state.clocks.noDataMs - silentMs;
    }
    to.conditions = from.conditions.flatMap((condition) => this.#condition(state, condition));
    armTimers(state, to);
  }

  #condition(state: PartitionState, condition: RuleCondition): RuleCondition[] {
    const rule = state.rules.get(condition.rule.rule.id);
    return rule === undefined ? [] : [{ ...condition, rule }];
  }
}
