export interface Message {
  readonly data: Buffer;
  readonly binary: boolean;
}

/** Messages that lie in the same memory. */
interface Run {
  readonly memory: ArrayBufferLike;
  /** Two numbers for each: where it begins, and how long it is; a text's is counted from −1 downwards. */
  readonly places: number[];
}

/**
 * Holds the rest of a chunk whose reading made the source pause: `ws` tells of all messages in a chunk of 64 KiB at
 * once, up to 32,768 of them, paused or not. They are heard in their order, before any that come later. Of each there are
 * two numbers: an object each would weigh many times what tiny frames do, and a thousand sources may be paused at once.
 */
export class UnheardMessages {
  readonly #paused: () => boolean;
  readonly #hear: (message: Message) => void;
  #runs: Run[] = [];
  /** The next one's place in the first run. */
  #next = 0;
  #closing = false;
  #dropping = false;

  /** `hear` may make `paused` true, and must not throw. */
  constructor(paused: () => boolean, hear: (message: Message) => void) {
    this.#paused = paused;
    this.#hear = hear;
  }

  arrived(message: Message): void {
    if (this.#dropping) return;
    if (!this.#closing && (this.#paused() || this.#runs.length > 0)) this.#keep(message);
    else this.#hear(message);
  }

  /** Hears them as far as the source may go on; false if it is paused (again). */
  resume(): boolean {
    while (!this.#paused() && this.#hearNext());
    return !this.#paused();
  }

  /** Hears all of them, and from now on each at once: the connection ends. */
  close(): void {
    this.#closing = true;
    while (this.#hearNext());
  }

  /** Hears none of them, nor any that comes later: the connection ends, and there is no room for more. */
  drop(): void {
    this.#runs = [];
    this.#dropping = true;
  }

  #keep({ data, binary }: Message): void {
    let run = this.#runs.at(-1);
    if (run?.memory !== data.buffer) {
      run = { memory: data.buffer, places: [] };
      this.#runs.push(run);
    }
    run.places.push(data.byteOffset, binary ? data.length : -1 - data.length);
  }

  #hearNext(): boolean {
    const [run] = this.#runs;
    if (run === undefined) return false;
    const [from = 0, length = 0] = [run.places[this.#next], run.places[this.#next + 1]];
    this.#next += 2;
    if (this.#next >= run.places.length) {
      this.#runs.shift();
      this.#next = 0;
    }
    const binary = length >= 0;
    this.#hear({ data: Buffer.from(run.memory, from, binary ? length : -1 - length), binary });
    return true;
  }
}
