const NEWLINE = 10;
const RETURN = 13;
const CAPACITY_BYTES = 128 * 1024;

/** Cuts a stream of bytes into lines. What it has not given yet stays in one buffer, which grows up to a line's limit. */
export class LineReader {
  readonly #bytesMax: number;
  #buffer = Buffer.allocUnsafe(CAPACITY_BYTES);
  #from = 0;
  #to = 0;
  /** Up to here there is no newline. */
  #searched = 0;

  constructor(lineBytesMax: number) {
    this.#bytesMax = lineBytesMax;
  }

  /** Whether a line has begun that is longer than any may be. */
  get tooLong(): boolean {
    return this.#searched - this.#from > this.#bytesMax;
  }

  /** Nothing of an earlier chunk may be in use any more. */
  push(chunk: Buffer): void {
    if (this.#to + chunk.length > this.#buffer.length) this.#makeRoom(chunk.length);
    chunk.copy(this.#buffer, this.#to);
    this.#to += chunk.length;
  }

  /** The next line without its end, or null if there is no whole one. A view: good until the next `push`. */
  next(): Buffer | null {
    const found = this.#buffer.subarray(0, this.#to).indexOf(NEWLINE, this.#searched);
    if (found < 0) {
      this.#searched = this.#to;
      return null;
    }
    const line = this.#line(found);
    this.#from = found + 1;
    this.#searched = this.#from;
    return line;
  }

  /** What stands behind the last newline; null if nothing does. */
  rest(): Buffer | null {
    const line = this.#line(this.#to);
    this.#from = this.#to;
    return line.length === 0 ? null : line;
  }

  #line(end: number): Buffer {
    const last = end > this.#from && this.#buffer[end - 1] === RETURN ? end - 1 : end;
    return this.#buffer.subarray(this.#from, last);
  }

  #makeRoom(bytes: number): void {
    const held = this.#to - this.#from;
    const enough = held + bytes <= this.#buffer.length / 2;
    // Grows by halves at least, so that a line in a thousand pieces is not copied a thousand times.
    const target = enough ? this.#buffer : Buffer.allocUnsafe(2 * (held + bytes));
    this.#buffer.copy(target, 0, this.#from, this.#to);
    this.#buffer = target;
    this.#searched -= this.#from;
    this.#from = 0;
    this.#to = held;
  }
}
