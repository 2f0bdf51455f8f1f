import type { SignalStatus } from "../../schemas/signal.ts";
import type { Scale } from "../domain/quality.ts";

const FIELDS = 2;
const AT = 0;
const STRENGTH = 1;
const FIRST_ROOM = 64;

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** Times and strengths by slot, side by side: as numbers of their objects, each new one would be new garbage. */
export class LiveNumbers {
  #numbers = new Float64Array(FIRST_ROOM * FIELDS).fill(Number.NaN);

  get(slot: number, field: number): number | null {
    return orNull(this.#numbers[slot * FIELDS + field] ?? Number.NaN);
  }

  set(slot: number, atMs: number | null, strength: number | null): void {
    if (slot * FIELDS >= this.#numbers.length) {
      const grown = new Float64Array(this.#numbers.length * 2);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#numbers[slot * FIELDS + AT] = atMs ?? Number.NaN;
    this.#numbers[slot * FIELDS + STRENGTH] = strength ?? Number.NaN;
  }
}

/** Whose value it is; `slot` is its own among `numbers`. */
export interface LivePlaceOf {
  readonly accountId: string;
  readonly signalId: string;
  readonly slot: number;
  readonly numbers: LiveNumbers;
}

/** The newest value of a signal; strength and time are null before the first reading. Read it, do not keep it. */
export class LiveValue {
  readonly accountId: string;
  readonly signalId: string;
  readonly slot: number;
  status: SignalStatus = "active";
  /** How far its partition had been folded; -1 while nobody has said. */
  offset = -1;
  /** Null until somebody has looked it up: only streams need it. */
  scale: Scale | null = null;
  /** The reading as streams write it, kept until the value changes. */
  text: string | null = null;
  readonly #numbers: LiveNumbers;

  constructor({ accountId, signalId, slot, numbers }: LivePlaceOf) {
    this.accountId = accountId;
    this.signalId = signalId;
    this.slot = slot;
    this.#numbers = numbers;
  }

  get atMs(): number | null {
    return this.#numbers.get(this.slot, AT);
  }

  get strength(): number | null {
    return this.#numbers.get(this.slot, STRENGTH);
  }

  /** `offset` null: nobody knows. */
  set(atMs: number | null, strength: number | null, status: SignalStatus, offset: number | null): void {
    this.#numbers.set(this.slot, atMs, strength);
    this.status = status;
    if (offset !== null) this.offset = offset;
    this.text = null;
  }
}
