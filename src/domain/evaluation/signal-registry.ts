import type { SignalDefinition } from "../../../schemas/change.ts";
import { SignalRows } from "./signal-rows.ts";
import { SignalState } from "./signal-state.ts";
import { SignalTable } from "./signal-table.ts";

/** Every signal of a partition, by slot, by id, and by the bytes of its id. Slots of deleted signals are used again. */
export class SignalRegistry {
  readonly #slots: (SignalState | null)[] = [];
  readonly #free: number[] = [];
  readonly #table = new SignalTable();
  readonly rows = new SignalRows();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** One past the highest slot ever used. */
  get slots(): number {
    return this.#slots.length;
  }

  at(slot: number): SignalState | null {
    return this.#slots[slot] ?? null;
  }

  /** The slot of the signal whose id's 30 bytes begin at `start`, or -1. */
  slotAt(view: DataView, start: number): number {
    return this.#table.find(view, start);
  }

  get(id: string): SignalState | null {
    const signal = this.at(this.#table.findId(id));
    return signal?.id === id ? signal : null;
  }

  add(definition: SignalDefinition): SignalState {
    const slot = this.#free.pop() ?? this.#slots.length;
    const signal = new SignalState(slot, definition, this.rows);
    this.#slots[slot] = signal;
    this.#table.add(definition.id, slot);
    this.#size++;
    return signal;
  }

  remove(signal: SignalState): void {
    this.#table.remove(signal.id);
    this.#slots[signal.slot] = null;
    this.#free.push(signal.slot);
    this.#size--;
  }

  *all(): Generator<SignalState> {
    for (const signal of this.#slots) if (signal !== null) yield signal;
  }
}
