import type { SignalDefinition } from "../../../schemas/change.ts";
import { armTimers } from "./arm-timers.ts";
import { RuleTemplate } from "./compiled-rule.ts";
import { type PartitionOfLog, PartitionState } from "./partition-state.ts";
import { admitSignal } from "./signal-changes.ts";
import type { SignalState } from "./signal-state.ts";
import { compileSilence } from "./silence-book.ts";
import { isHeld } from "./silence-changes.ts";
import { conditionOf, orNaN, ownOf, restoreMore } from "./snapshot-conditions.ts";
import {
  type FlowRow,
  type ProfileRow,
  rowsOf,
  type SignalRow,
  type SnapshotRow,
  SnapshotUnreadableError,
} from "./snapshot-rows.ts";
import type { Tombstones } from "./tombstones.ts";

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
        state.rules.set(new RuleTemplate(row[1].accountId, row[1].revision, row[1].rule));
        return;
      case "silence":
        state.silences.set(
          compileSilence(row[1].accountId, row[1].revision, row[1].silence),
          state.clocks.recordMs,
        );
        return;
      case "tombstone": {
        const { kind, ...tombstone } = row[1];
        this.#tombstones(kind).add(tombstone);
      }
    }
  }

  #tombstones(kind: "signal" | "rule" | "silence"): Tombstones {
    const { deletedSignals, deletedRules, deletedSilences } = this.#state;
    if (kind === "silence") return deletedSilences;
    return kind === "rule" ? deletedRules : deletedSignals;
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
    const [, , , , , , , , , sequence, newestAtMs, strength, lastDataMs] = row;
    signal.sequence = sequence;
    signal.newestAtMs = newestAtMs;
    signal.strength = orNaN(strength);
    signal.lastDataMs = lastDataMs;
    this.#conditions(signal, row);
  }

  #conditions(signal: SignalState, row: SignalRow): void {
    const [, , , , , , , , , , , , , thresholdSinceMs, thresholdValue, noDataSinceMs, noDataValue] = row;
    const [conditions, more] = [row[17], row[18]];
    signal.change({
      belowThreshold: ownOf(thresholdSinceMs, thresholdValue),
      noData: ownOf(noDataSinceMs, noDataValue),
      conditions: conditions.map((one) => conditionOf(signal, one)),
    });
    if (more !== undefined) restoreMore(signal, more);
    if (isHeld(signal)) this.#state.step.held.add(signal.slot);
    armTimers(this.#state, signal);
  }
}
