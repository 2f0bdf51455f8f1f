export interface Message {
  readonly data: Buffer;
  readonly binary: boolean;
}

/**
 * Holds the rest of a chunk whose reading made the source pause: `ws` tells of all messages in a chunk of 64 KiB at
 * once, up to 32,768 of them, paused or not. They are heard in their order, before any that come later.
 */
export class UnheardMessages {
  readonly #paused: () => boolean;
  readonly #hear: (message: Message) => void;
  #messages: Message[] = [];
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
    if (!this.#closing && (this.#paused() || this.#messages.length > 0)) this.#messages.push(message);
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
    this.#messages = [];
    this.#next = 0;
    this.#dropping = true;
  }

  #hearNext(): boolean {
    const message = this.#messages[this.#next];
    if (message === undefined) {
      this.#messages = [];
      this.#next = 0;
      return false;
    }
    this.#next++;
    this.#hear(message);
    return true;
  }
}
