import type { SignalDefinition } from "../../../schemas/change.ts";
import type { Labels } from "../../../schemas/common.ts";
import { Shared } from "./shared.ts";
import { SignalRows } from "./signal-rows.ts";
import { type SignalSettings, SignalState } from "./signal-state.ts";
import { SignalTable } from "./signal-table.ts";
import type { SourceFlow } from "./source-flows.ts";

/** Every signal of a partition, by slot, by id, and by the bytes of its id. Slots of deleted signals are used again. */
export class SignalRegistry {
  readonly #slots: (SignalState | null)[] = [];
  readonly #free: number[] = [];
  readonly #table = new SignalTable();
  readonly #settings = new Shared<SignalSettings>();
  readonly #labels = new Shared<Labels>();
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

  /** `flow`: its source's; null: it has none. */
  add(definition: SignalDefinition, flow: SourceFlow | null): SignalState {
    const slot = this.#free.pop() ?? this.#slots.length;
    const signal = new SignalState(slot, definition.id, this.#settingsOf(definition, flow), this.rows);
    signal.flow = flow;
    this.#describe(signal, definition);
    this.#slots[slot] = signal;
    this.#table.add(definition.id, slot);
    this.#size++;
    return signal;
  }

  /** The signal is what control data says of it, but for its source, which never changes: the no-data clock counts by it. */
  define(signal: SignalState, definition: SignalDefinition): void {
    signal.settings = this.#settingsOf(definition, signal.flow);
    this.#describe(signal, definition);
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

  /** All but its settings. */
  #describe(signal: SignalState, definition: SignalDefinition): void {
    signal.labels = this.#labels.of(definition.labels);
    signal.name = definition.name;
    // As a source makes it, it is named so: out of JSON these were two texts.
    signal.externalId = definition.externalId === definition.name ? definition.name : definition.externalId;
    signal.revision = definition.revision;
    signal.createdAt = definition.createdAt;
    signal.updatedAt = definition.updatedAt;
  }

  #settingsOf(definition: SignalDefinition, flow: SourceFlow | null): SignalSettings {
    const { accountId, threshold, floorDbm, ceilingDbm, hysteresis, noDataAfterSeconds, paused } = definition;
    const sourceId = flow?.sourceId ?? null;
    return this.#settings.of({
      accountId,
      sourceId,
      threshold,
      floorDbm,
      ceilingDbm,
      hysteresis,
      noDataAfterSeconds,
      paused,
    });
  }
}
