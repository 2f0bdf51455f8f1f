import type { Flow } from "./source.ts";

/** Waits, for a source that asks by itself, while its flow is closed. */
export class Gate {
  readonly #flow: Flow;
  #open: () => void = () => undefined;

  constructor(flow: Flow) {
    this.#flow = flow;
    flow.attach({ pause: () => undefined, resume: () => this.#open() });
  }

  /** Resolves once the source may go on; rejects when the signal aborts. */
  async passed(signal: AbortSignal): Promise<void> {
    while (this.#flow.paused) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#open = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
    }
    signal.throwIfAborted();
  }

  close(): void {
    this.#flow.detach();
  }
}
