import type { Clock } from "../ports/clock.ts";
import type { DeliverMetrics } from "./metrics.ts";
import type { Retrying } from "./retrying.ts";

const EVERY_MS = 3_600_000;
/** A process that is started again and again prunes, too. */
const FIRST_AFTER_MS = 60_000;
/** Small, and with a rest between, so that what is sent meanwhile hardly waits. */
const STEP_ROWS = 500;
const REST_MS = 100;

/** What is kept for some time. */
export interface History {
  readonly keptMs: number;
  /** Forgets what ended before (Unix ms), at most `limit` rows of a kind; gives how many it were of all. */
  prune(before: number, limit: number): Promise<number>;
}

export interface PrunerOptions {
  readonly history: History;
  readonly clock: Clock;
  readonly metrics: Pick<DeliverMetrics, "pruned">;
  readonly retrying: Retrying;
  /** One process does it for all. */
  readonly isMine: () => boolean;
  readonly failed: (error: unknown) => void;
}

/** Forgets what ended long ago. */
export class HistoryPruner {
  readonly #options: PrunerOptions;
  readonly #stop = new AbortController();
  readonly #cancels: (() => void)[] = [];
  #task: Promise<void> | null = null;

  constructor(options: PrunerOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock } = this.#options;
    this.#cancels.push(clock.after(FIRST_AFTER_MS, () => this.#begin()));
    this.#cancels.push(clock.every(EVERY_MS, () => this.#begin()));
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    this.#stop.abort(new Error("the worker stops"));
    await this.#task;
  }

  #begin(): void {
    if (!this.#options.isMine()) return;
    this.#task ??= this.#prune()
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#options.failed(error);
      })
      .finally(() => {
        this.#task = null;
      });
  }

  async #prune(): Promise<void> {
    const { history, clock, metrics, retrying } = this.#options;
    const { signal } = this.#stop;
    const before = clock.now() - history.keptMs;
    for (let rows = STEP_ROWS; rows >= STEP_ROWS; ) {
      rows = await retrying(() => history.prune(before, STEP_ROWS), signal);
      metrics.pruned.add(rows);
      if (rows >= STEP_ROWS) await clock.sleep(REST_MS, signal);
    }
  }
}
