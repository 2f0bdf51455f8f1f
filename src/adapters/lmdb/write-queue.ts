import { LogUnavailableError } from "../../ports/event-log.ts";

/** A transaction takes no more than this, but for a single write that is larger. */
const TRANSACTION_BYTES_MAX = 32 * 2 ** 20;
/** What may wait for the disk; beyond it writes are refused. */
const PENDING_BYTES_MAX = 256 * 2 ** 20;

/** Something to be written as a whole or not at all. */
export interface Write {
  /** Roughly: for the limits above. */
  readonly bytes: number;
  /** It is small and helps to make room: done even when the disk is full but for its reserve. */
  readonly makesRoom: boolean;
  /** Hands the puts to LMDB; called within the transaction's turn, in the order of `submit`. */
  put(): void;
  /** It is on the disk; called in the order of `submit`, before anyone who waits is told. */
  committed(): void;
}
export interface Waiting {
  readonly write: Write;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A write that throws is a bug of its own: it must not take the others of its turn with it. */
export const handOver = ({ write, reject }: Waiting): boolean => {
  try {
    write.put();
    return true;
  } catch (error) {
    reject(error instanceof Error ? error : new Error(String(error)));
    return false;
  }
};

export const bytesOf = (batch: readonly Waiting[]): number =>
  batch.reduce((sum, { write }) => sum + write.bytes, 0);

/** Writes in the order they came, until they are settled. */
export class WriteQueue {
  readonly #queue: Waiting[] = [];
  #pendingBytes = 0;

  /** Bytes that were pushed and are not yet settled. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }
  get empty(): boolean {
    return this.#queue.length === 0;
  }

  push(waiting: Waiting): void {
    if (!this.empty && this.#pendingBytes + waiting.write.bytes > PENDING_BYTES_MAX) {
      waiting.reject(new LogUnavailableError("Too much waits for the disk of the event log."));
      return;
    }
    this.#queue.push(waiting);
    this.#pendingBytes += waiting.write.bytes;
  }

  /** The next transaction's. */
  take(): readonly Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { write } of this.#queue) {
      if (count > 0 && bytes + write.bytes > TRANSACTION_BYTES_MAX) break;
      bytes += write.bytes;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  settled(batch: readonly Waiting[]): void {
    this.#pendingBytes -= bytesOf(batch);
  }
}
