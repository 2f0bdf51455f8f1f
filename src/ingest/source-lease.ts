import { type Assignment, PartitionLostError } from "../ports/event-log.ts";
import type { IngestContext } from "./context.ts";

const LOOK_EVERY_MS = 100;

/**
 * Whether this process may still run the sources of a partition. One that stood still may have lost them without
 * knowing: until its membership is proved anew, nothing that waited in its sockets is accepted, and nothing is told.
 */
export class SourceLease {
  readonly #assignment: Assignment;
  readonly #context: IngestContext;
  readonly #listeners = new Set<() => void>();
  #stopLooking: (() => void) | null = null;

  constructor(context: IngestContext, assignment: Assignment) {
    this.#context = context;
    this.#assignment = assignment;
  }

  /** Whether another process has taken over, as far as is known. */
  get isLost(): boolean {
    return this.#assignment.signal.reason instanceof PartitionLostError;
  }

  /** Whether the sources are this process's now and are to stay. */
  get isSure(): boolean {
    return this.#assignment.isHeld();
  }

  /** Also while the sources are let go of in good order: nobody else has them before that is over. */
  get isHeld(): boolean {
    const { signal } = this.#assignment;
    if (signal.aborted ? !this.isLost : this.#assignment.isHeld()) return true;
    if (this.#stopLooking === null && !signal.aborted) this.#doubt();
    return false;
  }

  /** Calls `listener` each time the lease is held again after it was not, until the returned function is called. */
  onHeld(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `task` once the lease is held: at once if it is; never when the sources turn out to be another's. */
  whenHeld(task: () => void): void {
    if (this.isHeld) {
      task();
      return;
    }
    const forget = this.onHeld(() => {
      forget();
      task();
    });
  }

  stop(): void {
    this.#stopLooking?.();
    this.#stopLooking = null;
    this.#listeners.clear();
  }

  #doubt(): void {
    const { clock, logger, metrics } = this.#context;
    metrics.leaseDoubted.add(1);
    logger.warn({ partition: this.#assignment.partition }, "ingest_lease_doubted");
    this.#stopLooking = clock.every(LOOK_EVERY_MS, () => this.#look());
  }

  #look(): void {
    if (!this.isHeld) return;
    this.#stopLooking?.();
    this.#stopLooking = null;
    for (const listener of [...this.#listeners]) listener();
  }
}
