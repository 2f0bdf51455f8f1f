import type { SignalDefinition } from "../../../schemas/change.ts";
import { armTimers } from "./arm-timers.ts";
import { type PartitionOfLog, PartitionState } from "./partition-state.ts";
import { compileRule } from "./rule-book.ts";
import { admitSignal } from "./signal-changes.ts";
import type { RuleCondition, SignalState } from "./signal-state.ts";
import {
  type ConditionRow,
  type FlowRow,
  type ProfileRow,
  rowsOf,
  type SignalRow,
  type SnapshotRow,
  SnapshotUnreadableError,
} from "./snapshot-rows.ts";

const orNaN = (value: number | null): number => value ?? Number.NaN;

export const definitionOf = (row: SignalRow, profile: ProfileRow): SignalDefinition => {
  const [, id, revision, name, externalId, , status, createdAt, updatedAt] = row;
  const [, accountId, sourceId, labels, threshold, floorDbm, ceilingDbm, hysteresis, noDataAfterSeconds] =
    profile;
  const paused = status === "paused";
  const own = { id, accountId, revision, name, externalId, paused, sourceId, createdAt, updatedAt };
  return { ...own, labels, threshold, floorDbm, ceilingDbm, hysteresis, noDataAfterSeconds };
};

/** Builds a partition's state again out of the buckets of one snapshot, given in their order. */
export class SnapshotRestore {
  readonly #state: PartitionState;
  #begun = false;

  constructor(of: PartitionOfLog) {
    this.#state = new PartitionState(of);
  }

  /** Throws SnapshotUnreadableError for what is no bucket, or one of another log or partition. */
  bucket(bytes: Uint8Array): void {
    const profiles: ProfileRow[] = [];
    for (const row of rowsOf(bytes)) {
      if (row[0] === "profile") profiles.push(row);
      else if (row[0] === "signal") this.#signal(row, profiles[row[5]]);
      else this.#common(row);
    }
  }

  finish(): PartitionState {
    if (!this.#begun) throw new SnapshotUnreadableError("no row says whose state it is");
    const { flows } = this.#state;
    for (const flow of flows.all()) flows.dropUnused(flow);
    return this.#state;
  }

  #common(row: Exclude<SnapshotRow, SignalRow | ProfileRow>): void {
    const state = this.#state;
    switch (row[0]) {
      case "partition":
        this.#begin(row[1]);
        return;
      case "flow":
        this.#flow(row[1]);
        return;
      case "rule":
        state.rules.set(compileRule(row[1].accountId, row[1].revision, row[1].rule));
        return;
      case "tombstone": {
        const { kind, ...tombstone } = row[1];
        (kind === "signal" ? state.deletedSignals : state.deletedRules).add(tombstone);
      }
    }
  }

  #begin(row: Extract<SnapshotRow, ["partition", unknown]>[1]): void {
    const { of, clocks } = this.#state;
    const same = row.logId === of.logId && row.partition === of.partition && row.partitions === of.partitions;
    if (!same) throw new SnapshotUnreadableError("the state of another log or partition");
    this.#state.nextOffset = row.nextOffset;
    clocks.recordMs = row.recordMs;
    clocks.noDataMs = row.noDataMs;
    this.#begun = true;
  }

  #flow({ sourceId, pausedAtMs, standstillMs }: FlowRow): void {
    const flow = this.#state.flows.of(sourceId);
    flow.pausedAtMs = pausedAtMs;
    flow.standstillMs = standstillMs;
  }

  #signal(row: SignalRow, profile: ProfileRow | undefined): void {
    if (profile === undefined) throw new SnapshotUnreadableError("a signal without its profile");
    const signal = admitSignal(this.#state, definitionOf(row, profile));
    const [, , , , , , , , , sequence, newestAtMs, strength, lastDataMs, ...conditions] = row;
    signal.sequence = sequence;
    signal.newestAtMs = newestAtMs;
    signal.strength = orNaN(strength);
    signal.lastDataMs = lastDataMs;
    this.#conditions(signal, conditions);
  }

  #conditions(
    signal: SignalState,
    row: [number, number | null, number, number | null, ConditionRow[]],
  ): void {
    const [thresholdSinceMs, thresholdValue, noDataSinceMs, noDataValue, conditions] = row;
    signal.thresholdSinceMs = thresholdSinceMs;
    signal.thresholdValue = orNaN(thresholdValue);
    signal.noDataSinceMs = noDataSinceMs;
    signal.noDataValue = orNaN(noDataValue);
    if (conditions.length > 0) signal.conditions = conditions.map((condition) => this.#condition(condition));
    armTimers(this.#state, signal);
  }

  #condition(row: ConditionRow): RuleCondition {
    const [ruleId, phase, atMs, recordMs, alertId, firedAtMs, value, limit] = row;
    const rule = this.#state.rules.get(ruleId);
    if (rule === undefined) throw new SnapshotUnreadableError("a condition without its rule");
    return { rule, phase, atMs, recordMs, alertId, firedAtMs, value: orNaN(value), limit };
  }
}
