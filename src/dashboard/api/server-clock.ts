/** Answers compared: their dates are whole seconds, and some travel longer than others. */
const KEPT = 9;

/** How late it is by the service's clock: ages of what it says are told by that, however wrong this machine's is. */
export class ServerClock {
  readonly #offsets: number[] = [];
  #offsetMs = 0;

  /** The header `Date` of an answer, and when its request was sent and answered, Unix ms of this machine. */
  heard(date: string | null, sentMs: number, answeredMs: number): void {
    const atMs = date === null ? Number.NaN : Date.parse(date);
    if (Number.isNaN(atMs)) return;
    this.#offsets.push(atMs + 500 - (sentMs + answeredMs) / 2);
    if (this.#offsets.length > KEPT) this.#offsets.shift();
    const sorted = this.#offsets.toSorted((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    // A second more or less is only how dates are written.
    if (Math.abs(median - this.#offsetMs) > 1_000) this.#offsetMs = median;
  }

  now(): number {
    return Date.now() + this.#offsetMs;
  }
}

export const serverClock = new ServerClock();
