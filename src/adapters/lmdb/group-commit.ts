import { setImmediate as endOfTurn } from "node:timers/promises";
import type { Clock } from "../../ports/clock.ts";
import { LogUnavailableError } from "../../ports/event-log.ts";
import { diskFailure } from "./failures.ts";

/** A transaction takes no more than this, but for a single write that is larger. */
const TRANSACTION_BYTES_MAX = 32 * 2 ** 20;
/** What may wait for the disk; beyond it writes are refused. */
const PENDING_BYTES_MAX = 256 * 2 ** 20;

/** Something to be written as a whole or not at all. */
export interface Write {
  /** Roughly: for the limits above. */
  readonly bytes: number;
  /** Hands the puts to LMDB; called within the transaction's turn, in the order of `submit`. */
  put(): void;
  /** It is on the disk; called in the order of `submit`, before anyone who waits is told. */
  committed(): void;
}
interface Waiting {
  readonly write: Write;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}
/** Hears how each transaction ended. */
export interface CommitObserver {
  committed(): void;
  failed(error: LogUnavailableError): void;
}

/**
 * Puts the writes of one event-loop turn, and those that came while the disk was busy, into one transaction, one
 * transaction at a time. When one fails, all of its writes fail and none of them took place.
 */
export class GroupCommit {
  readonly #durable: () => Promise<unknown>;
  readonly #clock: Clock;
  readonly #observer: CommitObserver;
  readonly #queue: Waiting[] = [];
  #pendingBytes = 0;
  #running: Promise<void> | null = null;
  #startedAt: number | null = null;
  #closed = false;

  constructor(durable: () => Promise<unknown>, clock: Clock, observer: CommitObserver) {
    this.#durable = durable;
    this.#clock = clock;
    this.#observer = observer;
  }

  /** Resolves when the write is durable; rejects with LogUnavailableError when it did not take place. */
  submit(write: Write): Promise<void> {
    if (this.#closed) return Promise.reject(new LogUnavailableError("The event log is closed."));
    if (this.#queue.length > 0 && this.#pendingBytes + write.bytes > PENDING_BYTES_MAX)
      return Promise.reject(new LogUnavailableError("Too much waits for the disk of the event log."));
    return new Promise((resolve, reject) => {
      this.#queue.push({ write, resolve, reject });
      this.#pendingBytes += write.bytes;
      this.#running ??= this.#run();
    });
  }

  /** Bytes that were submitted and are not yet durable. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** For how long the disk has been working on the running transaction. */
  get busyMs(): number {
    return this.#startedAt === null ? 0 : this.#clock.monotonic() - this.#startedAt;
  }

  /** Takes nothing more; resolves when everything taken is settled. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      // Whoever was just told, and goes on to append, comes into the next transaction with the rest of this turn.
      await endOfTurn();
      await this.#commit(this.#take());
    }
    this.#running = null;
  }

  #take(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { write } of this.#queue) {
      if (count > 0 && bytes + write.bytes > TRANSACTION_BYTES_MAX) break;
      bytes += write.bytes;
      count++;
    }
    return this.#queue.splice(0, count);
  }

  async #commit(taken: readonly Waiting[]): Promise<void> {
    this.#startedAt = this.#clock.monotonic();
    const batch = taken.filter(handOver);
    try {
      if (batch.length > 0) await this.#durable();
    } catch (error) {
      const failure = await diskFailure(error);
      this.#settled(taken);
      this.#observer.failed(failure);
      for (const { reject } of batch) reject(failure);
      return;
    }
    this.#settled(taken);
    for (const { write } of batch) write.committed();
    this.#observer.committed();
    for (const { resolve } of batch) resolve();
  }

  #settled(batch: readonly Waiting[]): void {
    this.#startedAt = null;
    for (const { write } of batch) this.#pendingBytes -= write.bytes;
  }
}

/** A write that throws is a bug of its own: it must not take the others of its turn with it. */
const handOver = ({ write, reject }: Waiting): boolean => {
  try {
    write.put();
    return true;
  } catch (error) {
    reject(error instanceof Error ? error : new Error(String(error)));
    return false;
  }
};
