import { type LineProblem, type LineView, type LineVisitor, scanBlock } from "./reading-line.ts";
import { SignalIds } from "./signal-ids.ts";

/** What a reading takes here: its slot, its time, its strength. */
export const READING_COLUMNS_BYTES = 4 + 8 + 4;
const FIRST_ROOM = 5_000;

/** Readings by columns: the one of row i is of the signal whose id has the slot `slots[i]` in `ids`. */
export interface ReadingColumns {
  readonly ids: SignalIds;
  readonly slots: Uint32Array;
  /** Unix time in milliseconds. */
  readonly atMs: Float64Array;
  /** dBm, rounded to a Float32 as evaluation does. */
  readonly strengths: Float32Array;
}

/** The slots that the ids of `from` have in `into`, for those that rows ask for. */
const translation = (from: SignalIds, into: SignalIds) => {
  const known = new Int32Array(from.size).fill(-1);
  return (slot: number): number => {
    const found = known[slot] ?? -1;
    if (found >= 0) return found;
    const { buffer, byteOffset, byteLength } = from.bytesOf(slot);
    const added = into.slotOf(new DataView(buffer, byteOffset, byteLength), 0);
    known[slot] = added;
    return added;
  };
};

/** The same rows with slots of one `SignalIds`, those that shared one together; none are copied where all do. */
export const underSameIds = (chunks: readonly ReadingColumns[]): readonly ReadingColumns[] => {
  const byIds = Map.groupBy(chunks, ({ ids }) => ids);
  if (byIds.size < 2) return chunks;
  const ids = new SignalIds();
  return [...byIds].flatMap(([from, some]) => {
    const slotOf = translation(from, ids);
    return some.map((chunk) => ({ ...chunk, ids, slots: chunk.slots.map(slotOf) }));
  });
};

/** Reads blocks into columns, through room that it uses again. */
export class ColumnReader implements LineVisitor {
  readonly #invalid: (problem: LineProblem) => void;
  #slots = new Uint32Array(FIRST_ROOM);
  #atMs = new Float64Array(FIRST_ROOM);
  #strengths = new Float32Array(FIRST_ROOM);
  #count = 0;
  #ids: SignalIds | null = null;
  #view: DataView = new DataView(new ArrayBuffer(0));

  /** `invalid` is told of every line that is none. */
  constructor(invalid: (problem: LineProblem) => void = () => undefined) {
    this.#invalid = invalid;
  }

  /** The valid lines of a block of a record appended at `appendedAt`; ids that are new are added to `ids`. */
  read(block: Uint8Array, appendedAt: number, ids: SignalIds): ReadingColumns {
    this.#count = 0;
    this.#ids = ids;
    this.#view = new DataView(block.buffer, block.byteOffset, block.byteLength);
    scanBlock(block, appendedAt, this);
    return {
      ids,
      slots: this.#slots.slice(0, this.#count),
      atMs: this.#atMs.slice(0, this.#count),
      strengths: this.#strengths.slice(0, this.#count),
    };
  }

  line(_block: Uint8Array, { start, atMs, strength }: LineView): void {
    if (this.#count === this.#slots.length) this.#grow();
    const row = this.#count++;
    this.#slots[row] = this.#ids?.slotOf(this.#view, start) ?? 0;
    this.#atMs[row] = atMs;
    this.#strengths[row] = strength;
  }

  invalid(_block: Uint8Array, _start: number, _end: number, _index: number, problem: LineProblem): void {
    this.#invalid(problem);
  }

  #grow(): void {
    const room = this.#count * 2;
    const [slots, atMs, strengths] = [this.#slots, this.#atMs, this.#strengths];
    this.#slots = new Uint32Array(room);
    this.#slots.set(slots);
    this.#atMs = new Float64Array(room);
    this.#atMs.set(atMs);
    this.#strengths = new Float32Array(room);
    this.#strengths.set(strengths);
  }
}
