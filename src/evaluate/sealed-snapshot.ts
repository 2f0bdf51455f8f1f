import { createHash } from "node:crypto";
import type { PartitionOfLog, PartitionState } from "../domain/evaluation/partition-state.ts";
import { SnapshotRestore } from "../domain/evaluation/snapshot-restore.ts";
import { SnapshotUnreadableError } from "../domain/evaluation/snapshot-rows.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import type { SnapshotSeal, Snapshots } from "../ports/control-store.ts";

/** Rows of one slice: about a millisecond's work, and never 5. */
const SLICE_ROWS = 250;
/** Generations skip at random, so that two writers who both believe in the same predecessor never share buckets. */
const GENERATION_STEP_MAX = 2 ** 20;
/** Asked for before they are needed: who gives them may be busy with a start of his own. */
const BUCKETS_AHEAD = 4;

/** A snapshot that is being taken: `evaluation.snapshot()`. */
interface Picture {
  readonly offset: number;
  slices(size: number): Iterable<Uint8Array[]>;
}

interface Writing {
  readonly snapshots: Pick<Snapshots, "writeBucket">;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly signal: AbortSignal;
}

/** Writes every bucket of a picture, giving way between slices; what it gives is yet to be sealed. */
export const writeBuckets = async (
  { snapshots, clock, entropy, signal }: Writing,
  { logId, partition }: PartitionOfLog,
  picture: Picture,
  previous: number | null,
): Promise<SnapshotSeal> => {
  const generation = (previous ?? 0) + 1 + Math.floor(entropy.random() * GENERATION_STEP_MAX);
  const hash = createHash("sha256");
  let buckets = 0;
  for (const slice of picture.slices(SLICE_ROWS)) {
    for (const bytes of slice) {
      await snapshots.writeBucket(partition, generation, buckets++, bytes);
      hash.update(bytes);
    }
    await clock.sleep(0, signal);
  }
  return { partition, generation, logId, offset: picture.offset, buckets, checksum: hash.digest("hex") };
};

/** Answers in the order of their questions, some of which are asked ahead. */
async function* inOrder<T>(count: number, ask: (index: number) => Promise<T>): AsyncGenerator<T> {
  const asked: Promise<T>[] = [];
  const askNext = (index: number) => {
    const answer = ask(index);
    // Told when it is awaited, unless the reader has left before.
    answer.catch(() => undefined);
    asked.push(answer);
  };
  for (let index = 0; index < Math.min(BUCKETS_AHEAD, count); index++) askNext(index);
  for (let next = asked.length; ; next++) {
    const first = asked.shift();
    if (first === undefined) return;
    const answer = await first;
    if (next < count) askNext(next);
    yield answer;
  }
}

/** The state that was sealed; null when a bucket is missing, is another one's, or is not what was sealed. */
export const readSealed = async (
  seal: SnapshotSeal,
  of: PartitionOfLog,
  bucket: (index: number) => Promise<Uint8Array | null>,
): Promise<PartitionState | null> => {
  const restore = new SnapshotRestore(of);
  const hash = createHash("sha256");
  try {
    for await (const bytes of inOrder(seal.buckets, bucket)) {
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
};
