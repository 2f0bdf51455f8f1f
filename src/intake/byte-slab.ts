const CHUNK_BYTES = 16 * 1024;

/** Some bytes of an array that holds others, too. Never changed. */
export interface Span {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * Keeps short texts as bytes, side by side: in an array of its own each would weigh ten times what it holds. Memory goes
 * a chunk at a time, once nothing refers to any span of it.
 */
export class ByteSlab {
  #chunk = new Uint8Array(0);
  #used = 0;

  /** Copies them. */
  keep(bytes: Uint8Array): Span {
    if (this.#used + bytes.length > this.#chunk.length) {
      this.#chunk = new Uint8Array(Math.max(CHUNK_BYTES, bytes.length));
      this.#used = 0;
    }
    const start = this.#used;
    this.#chunk.set(bytes, start);
    this.#used += bytes.length;
    return { bytes: this.#chunk, start, end: this.#used };
  }
}
