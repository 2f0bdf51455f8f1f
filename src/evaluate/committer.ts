import { retrying } from "../domain/retry.ts";
import { untilEngineIsBack } from "../ports/engine-retry.ts";
import type { Assignment } from "../ports/event-log.ts";
import type { EvaluateContext } from "./context.ts";

/**
 * Commits how far a partition is evaluated: only what all has been made durable of, and only so often. What is
 * committed late is evaluated again after a crash, and told again under the same ids.
 */
export class Committer {
  readonly #context: EvaluateContext;
  readonly #assignment: Assignment;
  readonly #durable: () => Promise<void>;
  readonly #signal: AbortSignal;
  readonly #hurry = new AbortController();
  #wanted: number;
  #committed: number;
  #running: Promise<void> | null = null;

  /** `durable` resolves when everything that was evaluated when it is called is durable. */
  constructor(
    context: EvaluateContext,
    assignment: Assignment,
    durable: () => Promise<void>,
    signal: AbortSignal,
  ) {
    this.#context = context;
    this.#assignment = assignment;
    this.#durable = durable;
    this.#signal = signal;
    this.#committed = assignment.committed ?? 0;
    this.#wanted = this.#committed;
  }

  /** Everything below `next` has been evaluated. */
  reached(next: number): void {
    this.#wanted = Math.max(this.#wanted, next);
    if (this.#wanted > this.#committed) this.#running ??= this.#run();
  }

  /** Commits what was reached at once; true if it could. */
  async finish(): Promise<boolean> {
    this.#hurry.abort();
    await this.#running;
    return this.#committed === this.#wanted;
  }

  async #run(): Promise<void> {
    try {
      while (this.#wanted > this.#committed) {
        await this.#commit(this.#wanted);
        await this.#pause();
      }
    } catch (error) {
      // Where an append failed for good, that has been told: without it nothing can be committed.
      if (!this.#signal.aborted) this.#assignment.fail(error);
    } finally {
      this.#running = null;
    }
  }

  async #commit(next: number): Promise<void> {
    await this.#durable();
    await retrying(() => this.#assignment.commit(next), untilEngineIsBack(this.#context, this.#signal));
    this.#committed = next;
  }

  async #pause(): Promise<void> {
    const { clock, settings } = this.#context;
    const ended = AbortSignal.any([this.#hurry.signal, this.#signal]);
    await clock.sleep(settings.commitEveryMs, ended).catch(() => undefined);
  }
}
