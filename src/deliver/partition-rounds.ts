import type { Clock } from "../ports/clock.ts";
import type { Assignment } from "../ports/event-log.ts";

export interface RoundsOptions {
  readonly assignment: Pick<Assignment, "signal" | "isHeld">;
  readonly clock: Clock;
  /** What happened before the partition was assigned is taken first: it may belong to what is due. */
  readonly isCaughtUp: () => boolean;
  readonly failed: (error: unknown) => void;
}

/** Does something every so often, one round after the other, for as long as a partition is this process's. */
export class PartitionRounds {
  readonly #options: RoundsOptions;
  readonly #round: () => Promise<void>;
  readonly #cancel: () => void;
  #task: Promise<void> | null = null;

  constructor(options: RoundsOptions, everyMs: number, round: () => Promise<void>) {
    this.#options = options;
    this.#round = round;
    this.#cancel = options.clock.every(everyMs, () => this.#begin());
  }

  /** To be called once the assignment's signal has aborted. */
  async stop(): Promise<void> {
    this.#cancel();
    await this.#task;
  }

  #begin(): void {
    const { assignment, isCaughtUp, failed } = this.#options;
    if (this.#task !== null || assignment.signal.aborted || !assignment.isHeld() || !isCaughtUp()) return;
    this.#task = this.#round()
      .catch((error: unknown) => {
        if (!assignment.signal.aborted) failed(error);
      })
      .finally(() => {
        this.#task = null;
      });
  }
}
