import { setImmediate as endOfTurn } from "node:timers/promises";
import type { Clock } from "../../ports/clock.ts";
import { LogUnavailableError } from "../../ports/event-log.ts";
import type { DiskSpace } from "./disk-space.ts";
import { diskFailure } from "./failures.ts";
import { bytesOf, handOver, type Waiting, type Write, WriteQueue } from "./write-queue.ts";

/** Runs `puts` at once, all in one transaction; resolves when it is on the disk, rejects when nothing of it took place. */
export type Transaction = (puts: () => void) => Promise<unknown>;

export interface CommitParts {
  readonly transaction: Transaction;
  readonly space: DiskSpace;
  readonly clock: Clock;
  /** A transaction is durable, and there is room for more. */
  readonly committed: () => void;
  /** Writes were refused or their transaction failed: nothing of them took place. */
  readonly failed: (error: LogUnavailableError) => void;
}

/**
 * Puts the writes of one event-loop turn, and those that came while the disk was busy, into one transaction, one
 * transaction at a time. When one fails, all of its writes fail and none of them took place.
 */
export class GroupCommit {
  readonly #parts: CommitParts;
  readonly #queue = new WriteQueue();
  #running: Promise<void> | null = null;
  #startedAt: number | null = null;
  /** Whether the last look at the disk found too little room. */
  #short = false;
  #closed = false;

  constructor(parts: CommitParts) {
    this.#parts = parts;
  }

  /** Resolves when the write is durable; rejects with LogUnavailableError when it did not take place. */
  submit(write: Write): Promise<void> {
    if (this.#closed) return Promise.reject(new LogUnavailableError("The event log is closed."));
    return new Promise((resolve, reject) => {
      this.#queue.push({ write, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Bytes that were submitted and are not yet durable. */
  get pendingBytes(): number {
    return this.#queue.pendingBytes;
  }

  /** For how long the disk has been working on the running transaction. */
  get busyMs(): number {
    return this.#startedAt === null ? 0 : this.#parts.clock.monotonic() - this.#startedAt;
  }

  /** Takes nothing more; resolves when everything taken is settled. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#queue.empty) {
      // Whoever was just told, and goes on to append, comes into the next transaction with the rest of this turn.
      await endOfTurn();
      const admitted = this.#admit(this.#queue.take());
      if (admitted.length > 0) await this.#commit(admitted);
    }
    this.#running = null;
  }

  /** Refuses what the disk has no room for. */
  #admit(taken: readonly Waiting[]): readonly Waiting[] {
    const { space } = this.#parts;
    const shortage = space.shortage(bytesOf(taken));
    this.#short = shortage !== null;
    if (shortage === null) return taken;
    const exhausted = space.exhausted();
    const admitted = taken.filter(({ write }) => write.makesRoom && !exhausted);
    if (admitted.length < taken.length)
      this.#fail(
        taken.filter((one) => !admitted.includes(one)),
        shortage,
      );
    return admitted;
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    let handed: readonly Waiting[] = [];
    this.#startedAt = this.#parts.clock.monotonic();
    try {
      await this.#parts.transaction(() => {
        handed = batch.filter(handOver);
      });
    } catch (error) {
      this.#fail(batch, await diskFailure(error));
      return;
    }
    this.#settled(batch);
    for (const { write } of handed) write.committed();
    if (!this.#short) this.#parts.committed();
    for (const { resolve } of handed) resolve();
  }

  #fail(batch: readonly Waiting[], failure: LogUnavailableError): void {
    this.#settled(batch);
    this.#parts.failed(failure);
    for (const { reject } of batch) reject(failure);
  }

  #settled(batch: readonly Waiting[]): void {
    this.#startedAt = null;
    this.#queue.settled(batch);
  }
}
