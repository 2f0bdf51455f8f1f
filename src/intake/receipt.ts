import type { Contributor } from "./open-block.ts";

/** Counts some readings from their being taken until each has come to its end: durable, or known never to be. */
export class Receipt implements Contributor {
  readonly #tell: (accepted: number) => void;
  readonly #settled = Promise.withResolvers<void>();
  #open = 0;
  #closed = false;
  #accepted = 0;
  #refusal: unknown = null;

  /** `tell` is called with every number of readings that became durable. */
  constructor(tell: (accepted: number) => void = () => undefined) {
    this.#tell = tell;
  }

  take(): void {
    this.#open++;
  }

  accepted(readings: number): void {
    this.#accepted += readings;
    this.#tell(readings);
    this.#end(readings);
  }

  refused(readings: number, error: unknown): void {
    this.#refusal ??= error;
    this.#end(readings);
  }

  /** One that was taken means no signal. */
  rejected(): void {
    this.#end(1);
  }

  /** Takes no more; resolves with how many became durable, once all have settled. Throws why some were refused. */
  async close(): Promise<number> {
    this.#closed = true;
    this.#end(0);
    await this.#settled.promise;
    if (this.#refusal !== null) throw this.#refusal;
    return this.#accepted;
  }

  #end(readings: number): void {
    this.#open -= readings;
    if (this.#closed && this.#open === 0) this.#settled.resolve();
  }
}
