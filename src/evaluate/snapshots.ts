import { createHash } from "node:crypto";
import type { PartitionEvaluation } from "../domain/evaluation/evaluation.ts";
import type { PartitionOfLog, PartitionState } from "../domain/evaluation/partition-state.ts";
import { SnapshotRestore } from "../domain/evaluation/snapshot-restore.ts";
import { SnapshotUnreadableError } from "../domain/evaluation/snapshot-rows.ts";
import { retrying } from "../domain/retry.ts";
import type { SnapshotSeal } from "../ports/control-store.ts";
import type { Assignment } from "../ports/event-log.ts";
import { type EvaluateContext, untilEngineIsBack } from "./context.ts";

/** Rows of one slice: about a millisecond's work, and never 5. */
const SLICE_ROWS = 250;
/** Generations skip at random, so that two writers who both believe in the same predecessor never share buckets. */
const GENERATION_STEP_MAX = 2 ** 20;

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
    const generation = (previous ?? 0) + 1 + Math.floor(entropy.random() * GENERATION_STEP_MAX);
    const run = evaluation.snapshot();
    try {
      await durable();
      const written = await this.#writeBuckets(generation, run.slices(SLICE_ROWS), signal);
      const seal = {
        partition: this.#of.partition,
        generation,
        logId: this.#of.logId,
        offset: run.offset,
        ...written,
      };
      const sealed = await control.snapshots.seal(seal, previous);
      if (sealed) metrics.snapshotSeconds.observe((clock.monotonic() - began) / 1000);
      this.#newest = sealed
        ? generation
        : ((await control.snapshots.newest(this.#of.partition))?.generation ?? null);
      return sealed;
    } finally {
      run.cancel();
    }
  }

  async #writeBuckets(
    generation: number,
    slices: Iterable<Uint8Array[]>,
    signal: AbortSignal,
  ): Promise<{ buckets: number; checksum: string }> {
    const { control, clock } = this.#context;
    const hash = createHash("sha256");
    let buckets = 0;
    for (const slice of slices) {
      for (const bytes of slice) {
        await control.snapshots.writeBucket(this.#of.partition, generation, buckets++, bytes);
        hash.update(bytes);
      }
      await clock.sleep(0, signal);
    }
    return { buckets, checksum: hash.digest("hex") };
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

  /** Null when a bucket is missing or is not what was sealed. */
  async #read(seal: SnapshotSeal, signal: AbortSignal): Promise<PartitionState | null> {
    const { snapshots } = this.#context.control;
    const restore = new SnapshotRestore(this.#of);
    const hash = createHash("sha256");
    try {
      for (let index = 0; index < seal.buckets; index++) {
        const bytes = await this.#ask(() => snapshots.bucket(seal.partition, seal.generation, index), signal);
        if (bytes === null) return null;
        hash.update(bytes);
        restore.bucket(bytes);
      }
      const state = restore.finish();
      return hash.digest("hex") === seal.checksum && state.nextOffset === seal.offset ? state : null;
    } catch (error) {
      if (error instanceof SnapshotUnreadableError) return null;
      throw error;
    }
  }

  #ask<T>(question: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return retrying(question, untilEngineIsBack(this.#context, signal));
  }
}
