import type { PartitionEvaluation } from "../domain/evaluation/evaluation.ts";
import type { PartitionOfLog, PartitionState } from "../domain/evaluation/partition-state.ts";
import { retrying } from "../domain/retry.ts";
import type { SnapshotSeal } from "../ports/control-store.ts";
import { untilEngineIsBack } from "../ports/engine-retry.ts";
import type { Assignment } from "../ports/event-log.ts";
import type { EvaluateContext } from "./context.ts";
import { readSealed, writeBuckets } from "./sealed-snapshot.ts";

/** The sealed snapshots of one partition: restores the newest that fits, and writes new ones. */
export class PartitionSnapshots {
  readonly #context: EvaluateContext;
  readonly #of: PartitionOfLog;
  #newest: number | null = null;

  constructor(context: EvaluateContext, of: PartitionOfLog) {
    this.#context = context;
    this.#of = of;
  }

  /** The state of the newest snapshot that fits, of the last but one, or null: then folding begins at the earliest record. */
  async restore(assignment: Assignment): Promise<PartitionState | null> {
    const { snapshots } = this.#context.control;
    const { partition } = this.#of;
    const newest = await this.#ask(() => snapshots.newest(partition), assignment.signal);
    this.#newest = newest?.generation ?? null;
    const older = await this.#ask(() => snapshots.lastButOne(partition), assignment.signal);
    for (const seal of [newest, older]) {
      const state = seal === null ? null : await this.#restoreSealed(seal, assignment);
      if (state !== null) return state;
    }
    return null;
  }

  /**
   * Pictures the state as it is now, and seals it once `durable` says that everything before it is. False: another
   * one sealed meanwhile, and this one is dropped.
   */
  async write(
    evaluation: PartitionEvaluation,
    durable: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { clock, entropy, metrics, control } = this.#context;
    const began = clock.monotonic();
    const previous = this.#newest;
    const run = evaluation.snapshot();
    try {
      await durable();
      const seal = await writeBuckets({ ...control, clock, entropy, signal }, this.#of, run, previous);
      const sealed = await control.snapshots.seal(seal, previous);
      if (sealed) metrics.snapshotSeconds.observe((clock.monotonic() - began) / 1000);
      this.#newest = sealed
        ? seal.generation
        : ((await control.snapshots.newest(this.#of.partition))?.generation ?? null);
      return sealed;
    } finally {
      run.cancel();
    }
  }

  async #restoreSealed(seal: SnapshotSeal, assignment: Assignment): Promise<PartitionState | null> {
    const { offset, logId, generation } = seal;
    const fits = logId === this.#of.logId && offset >= assignment.earliest && offset <= assignment.end;
    const state = fits ? await this.#read(seal, assignment.signal) : null;
    if (state === null) {
      this.#context.metrics.snapshotFailures.add(1, { reason: "snapshot_unfit" });
      const place = { partition: this.#of.partition, generation, offset, logId };
      this.#context.logger.warn(place, "snapshot_unfit");
    }
    return state;
  }

  #read(seal: SnapshotSeal, signal: AbortSignal): Promise<PartitionState | null> {
    const { snapshots } = this.#context.control;
    const bucket = (index: number) => snapshots.bucket(seal.partition, seal.generation, index);
    return readSealed(seal, this.#of, (index) => this.#ask(() => bucket(index), signal));
  }

  #ask<T>(question: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return retrying(question, untilEngineIsBack(this.#context, signal));
  }
}
