import type { Clock } from "../../ports/clock.ts";
import type { Health } from "../../ports/worker.ts";
import type { PipelineWorker } from "../pipeline.ts";

/** A thread that has said nothing for so long … */
export interface SilenceLimits {
  /** … stands still; */
  readonly downAfterMs: number;
  /** … does not come back by itself. */
  readonly endAfterMs: number;
}
export const SILENCE: SilenceLimits = { downAfterMs: 5_000, endAfterMs: 30_000 };

const TICK_MS = 500;
const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

/**
 * What a worker said of itself, or that it says nothing any more. Its silence is counted in ticks of this thread, not
 * by a clock: while a machine sleeps, a process is stopped or this thread is busy, nobody is heard, and nobody to blame.
 */
export class ThreadHealth {
  readonly #name: PipelineWorker;
  readonly #limits: SilenceLimits;
  #told: readonly Health[] = [];
  /** Null until it has loaded its program, which takes as long as it takes. */
  #silentMs: number | null = null;

  constructor(name: PipelineWorker, limits: SilenceLimits) {
    this.#name = name;
    this.#limits = limits;
  }

  tell(health: readonly Health[]): void {
    this.#told = health;
    this.#silentMs = 0;
  }

  /** Calls `hung` once, when the thread has been silent for too long, unless the function given was called before. */
  watch(clock: Clock, hung: (silentMs: number) => void): () => void {
    const stop = clock.every(TICK_MS, () => {
      if (this.#silentMs === null) return;
      this.#silentMs += TICK_MS;
      if (this.#silentMs < this.#limits.endAfterMs) return;
      stop();
      hung(this.#silentMs);
    });
    return stop;
  }

  now(): Health[] {
    const { downAfterMs, endAfterMs } = this.#limits;
    const silentMs = this.#silentMs ?? 0;
    if (silentMs < downAfterMs) return [...this.#told];
    const silence = `its thread has not answered for ${seconds(silentMs)}`;
    const detail = `${silence}: after ${seconds(endAfterMs)} the process ends, to be started again`;
    return [{ name: this.#name, state: "down", detail }];
  }
}
