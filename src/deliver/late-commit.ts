import type { Clock } from "../ports/clock.ts";
import type { Assignment } from "../ports/event-log.ts";
import type { Retrying } from "./retrying.ts";

/** Each commit is a write to disk, or a question to a broker, and events must not wait for it. */
const COMMIT_EVERY_MS = 100;

export interface LateCommitOptions {
  readonly assignment: Pick<Assignment, "commit" | "signal">;
  readonly clock: Clock;
  readonly retrying: Retrying;
  readonly failed: (error: unknown) => void;
}

/** Commits how far a partition is done, a moment later: what comes again after a kill changes nothing. */
export class LateCommit {
  readonly #options: LateCommitOptions;
  #next = -1;
  #committed = -1;
  #cancel: (() => void) | null = null;
  #task: Promise<void> = Promise.resolve();

  constructor(options: LateCommitOptions) {
    this.#options = options;
  }

  /** All before `next` is done. */
  done(next: number): void {
    this.#next = next;
    this.#cancel ??= this.#options.clock.after(COMMIT_EVERY_MS, () => {
      this.#cancel = null;
      this.#task = this.#task.then(() => this.#commit());
    });
  }

  /** Once the partition is let go of: commits what is left, if that is still possible. */
  async end(): Promise<void> {
    this.#cancel?.();
    await this.#task;
    if (this.#next > this.#committed)
      await this.#options.assignment.commit(this.#next).catch(() => undefined);
  }

  async #commit(): Promise<void> {
    const { assignment, retrying, failed } = this.#options;
    const next = this.#next;
    try {
      await retrying(() => assignment.commit(next), assignment.signal);
      this.#committed = next;
    } catch (error) {
      if (!assignment.signal.aborted) failed(error);
    }
  }
}
