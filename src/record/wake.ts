import type { Clock } from "../ports/clock.ts";

/** Lets one task sleep until another rings, or for a while. A ring while nobody sleeps ends the next sleep at once. */
export class Wake {
  readonly #clock: Clock;
  #rung = false;
  #wake: (() => void) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** `ms` null: until rung. */
  async sleep(ms: number | null): Promise<void> {
    if (!this.#rung) {
      let cancel = () => {};
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (ms !== null) cancel = this.#clock.after(ms, resolve);
      });
      cancel();
      this.#wake = null;
    }
    this.#rung = false;
  }
}
