import { BucketWriter } from "./bucket-writer.ts";
import type { ChangeObserver, PartitionState } from "./partition-state.ts";
import type { SignalState } from "./signal-state.ts";
import { statusOf } from "./signal-view.ts";
import { conditionRows, moreRow, orNull, ownRow } from "./snapshot-conditions.ts";
import type { SignalRow, SnapshotRow } from "./snapshot-rows.ts";

/** A signal as it was: its row but for the number of its profile, which only the bucket knows. */
type SignalImage = Pick<SignalState, "definition"> & { readonly rowFor: (profile: number) => SignalRow };

const imageOf = (signal: SignalState): SignalImage => {
  const { definition, sequence, newestAtMs, strength, lastDataMs, belowThreshold, noData } = signal;
  const { id, revision, name, externalId, createdAt, updatedAt } = definition;
  const status = statusOf(signal);
  const conditions = signal.conditions.length === 0 ? [] : conditionRows(signal);
  const more = moreRow(signal);
  const rowFor = (profile: number): SignalRow => [
    "signal",
    id,
    revision,
    name,
    externalId,
    profile,
    status,
    createdAt,
    updatedAt,
    sequence,
    newestAtMs,
    orNull(strength),
    lastDataMs,
    ...ownRow(belowThreshold),
    ...ownRow(noData),
    conditions,
    ...more,
  ];
  return { definition, rowFor };
};

/**
 * Writes the state as it is when the run begins, in slices between which the fold goes on: a signal that is about to
 * change before its turn is pictured first. Bounded by one picture a signal.
 */
export class SnapshotRun implements ChangeObserver {
  /** Folding goes on from here once the snapshot is restored. */
  readonly offset: number;
  readonly #state: PartitionState;
  readonly #writer = new BucketWriter();
  readonly #rows: SnapshotRow[];
  #images: SignalImage[] = [];
  /** By slot: whether the run has the signal already. Those of later ones are not asked for. */
  readonly #isImaged: Uint8Array;
  #slot = 0;

  constructor(state: PartitionState) {
    this.#state = state;
    this.offset = state.nextOffset;
    this.#rows = commonRows(state);
    this.#isImaged = new Uint8Array(state.signals.slots);
    state.observer = this;
  }

  beforeChange(signal: SignalState): void {
    if (this.#isImaged[signal.slot] !== 0) return;
    this.#isImaged[signal.slot] = 1;
    this.#images.push(imageOf(signal));
  }

  created(signal: SignalState): void {
    this.#isImaged[signal.slot] = 1;
  }

  /** Slices of about `size` rows each, as the buckets that became full meanwhile. Do not keep it waiting for ever. */
  *slices(size: number): Generator<Uint8Array[]> {
    try {
      for (let at = 0; at < this.#rows.length; at += size) {
        for (const row of this.#rows.slice(at, at + size)) this.#writer.row(row);
        yield this.#writer.takeFull();
      }
      while (this.#writeSignals(size)) yield this.#writer.takeFull();
      yield this.#writer.finish();
    } finally {
      this.cancel();
    }
  }

  /** Ends the run early, or for good. */
  cancel(): void {
    if (this.#state.observer === this) this.#state.observer = null;
    this.#images = [];
  }

  #writeSignals(size: number): boolean {
    // From the end, which moves none of the others.
    for (const { definition, rowFor } of this.#images.splice(-size)) this.#writer.signal(definition, rowFor);
    for (let left = size; left > 0 && this.#slot < this.#isImaged.length; this.#slot++) {
      const signal = this.#state.signals.at(this.#slot);
      if (signal === null || this.#isImaged[this.#slot] === 1) continue;
      this.#isImaged[this.#slot] = 1;
      const { definition, rowFor } = imageOf(signal);
      this.#writer.signal(definition, rowFor);
      left--;
    }
    return this.#slot < this.#isImaged.length || this.#images.length > 0;
  }
}

/** What is not a signal's, copied at once: it is little, and rules are never changed in place. */
const commonRows = (state: PartitionState): SnapshotRow[] => [
  [
    "partition",
    {
      ...state.of,
      nextOffset: state.nextOffset,
      recordMs: state.clocks.recordMs,
      noDataMs: state.clocks.noDataMs,
    },
  ],
  ...state.flows
    .all()
    .filter(({ pausedAtMs, standstillMs }) => pausedAtMs !== null || standstillMs > 0)
    .map(
      ({ sourceId, pausedAtMs, standstillMs }): SnapshotRow => [
        "flow",
        { sourceId, pausedAtMs, standstillMs },
      ],
    ),
  ...state.rules
    .all()
    .map(({ accountId, revision, rule }): SnapshotRow => ["rule", { accountId, revision, rule }]),
  ...state.silences
    .all()
    .map(({ accountId, revision, silence }): SnapshotRow => ["silence", { accountId, revision, silence }]),
  ...state.deletedSignals
    .all()
    .map((tombstone): SnapshotRow => ["tombstone", { kind: "signal", ...tombstone }]),
  ...state.deletedRules.all().map((tombstone): SnapshotRow => ["tombstone", { kind: "rule", ...tombstone }]),
  ...state.deletedSilences
    .all()
    .map((tombstone): SnapshotRow => ["tombstone", { kind: "silence", ...tombstone }]),
];
