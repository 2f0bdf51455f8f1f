import type { Clock } from "../../src/ports/clock.ts";

interface Waiting {
  at: number;
  readonly everyMs: number | null;
  readonly run: () => void;
}

/** A clock that stands still until `advance` moves it and runs, in order, what has become due. */
export class ManualClock implements Clock {
  #now: number;
  readonly #waiting = new Set<Waiting>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = this.after(ms, resolve);
      signal?.addEventListener("abort", () => {
        cancel();
        reject(signal.reason);
      });
    });
  }

  every(ms: number, task: () => void): () => void {
    return this.#wait({ at: this.#now + ms, everyMs: ms, run: task });
  }

  after(ms: number, task: () => void): () => void {
    return this.#wait({ at: this.#now + ms, everyMs: null, run: task });
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#now = next.at;
      if (next.everyMs === null) this.#waiting.delete(next);
      else next.at += next.everyMs;
      next.run();
    }
    this.#now = end;
  }

  /** As a machine that slept for so long: whatever has become due meanwhile runs once, in order. */
  leap(ms: number): void {
    this.#now += ms;
    const due = [...this.#waiting].filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
    for (const one of due) {
      if (one.everyMs === null) this.#waiting.delete(one);
      else one.at = this.#now + one.everyMs;
      one.run();
    }
  }

  /** How many timers and sleeps are pending. */
  get pending(): number {
    return this.#waiting.size;
  }

  #next(end: number): Waiting | undefined {
    return [...this.#waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }

  #wait(waiting: Waiting): () => void {
    this.#waiting.add(waiting);
    return () => this.#waiting.delete(waiting);
  }
}
