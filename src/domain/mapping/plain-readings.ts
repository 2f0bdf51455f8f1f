const FIRST_ROOM = 128;

/** A longer list that begins with what an older one holds. */
export const grown = <T extends Uint8Array | Int32Array | Float64Array>(longer: T, old: T): T => {
  longer.set(old);
  return longer;
};

/** The readings found in the bytes of a message: of each list the first `count`. Used again for the next message. */
export class PlainReadings {
  count = 0;
  /** What names lie in, ASCII: the message itself, or bytes of their own. */
  names: Uint8Array = new Uint8Array(0);
  nameStart = new Int32Array(FIRST_ROOM);
  nameEnd = new Int32Array(FIRST_ROOM);
  /** dBm; not checked for its range, as the time is not. */
  strengths = new Float64Array(FIRST_ROOM);
  /** Unix ms. */
  atMs = new Float64Array(FIRST_ROOM);
  /** Whether the message is ASCII alone: else it says something only if it is UTF-8, which is for others to see. */
  isAscii = true;

  protected makeRoom(): void {
    const room = this.strengths.length;
    if (this.count < room) return;
    this.nameStart = grown(new Int32Array(room * 2), this.nameStart);
    this.nameEnd = grown(new Int32Array(room * 2), this.nameEnd);
    this.strengths = grown(new Float64Array(room * 2), this.strengths);
    this.atMs = grown(new Float64Array(room * 2), this.atMs);
  }
}
