import {
  type ConnectionState,
  type FromWorker,
  type LiveBatch,
  NEVER_MS,
  type ToldEvent,
} from "./messages.ts";

/** In place of a status: of a signal that is gone, or of which nothing has been told yet. */
export const NOTHING = 255;

/** Columns of the newest values, by the places of signals. */
export interface LiveColumns {
  /** How many there are: the arrays are longer. */
  readonly size: number;
  readonly strength: Float32Array;
  readonly quality: Float32Array;
  readonly status: Uint8Array;
  /** Unix ms; NEVER_MS: there is no reading. */
  readonly at: Float64Array;
}
const SIGNALS_AT_FIRST = 1_024;

const emptyColumns = (capacity: number) => ({
  size: 0,
  strength: new Float32Array(capacity),
  quality: new Float32Array(capacity),
  status: new Uint8Array(capacity).fill(NOTHING),
  at: new Float64Array(capacity),
});
type Columns = ReturnType<typeof emptyColumns>;

const copied = (from: Columns, capacity = from.at.length): Columns => {
  const to = emptyColumns(capacity);
  to.size = from.size;
  to.strength.set(from.strength);
  to.quality.set(from.quality);
  to.status.set(from.status);
  to.at.set(from.at);
  return to;
};

export interface Connection {
  readonly state: ConnectionState;
  /** Since when, by `performance.now()`. */
  readonly sinceMs: number;
  /** When something had last been heard by then, by the same. */
  readonly heardMs: number;
}

/**
 * The newest value of every signal, outside of what React renders: whoever shows them is called once a frame in which
 * some have changed. While it is paused what is shown stands still, and what comes is kept.
 */
export class LiveStore {
  readonly #frame: (run: () => void) => void;
  readonly #listeners = new Set<(columns: LiveColumns) => void>();
  readonly #eventListeners = new Set<(event: ToldEvent) => void>();
  readonly #stateListeners = new Set<() => void>();
  readonly #ids: string[] = [];
  readonly #places = new Map<string, number>();
  /** Places of signals that are deleted: a last value of theirs may still be on its way. */
  readonly #gone = new Set<number>();
  #columns = emptyColumns(SIGNALS_AT_FIRST);
  #frozen: Columns | null = null;
  /** Since when what is frozen is no longer what is. */
  #frozenSinceMs: number | null = null;
  #breaks = 0;
  #isFramePending = false;
  #connection: Connection;

  constructor(frame: (run: () => void) => void = (run) => requestAnimationFrame(run)) {
    this.#frame = frame;
    const sinceMs = performance.now();
    this.#connection = { state: "connecting", sinceMs, heardMs: sinceMs };
  }

  /** What is to be shown now. */
  get view(): LiveColumns {
    return this.#frozen ?? this.#columns;
  }

  get ids(): readonly string[] {
    return this.#ids;
  }

  placeOf(id: string): number | null {
    return this.#places.get(id) ?? null;
  }

  get connection(): Connection {
    return this.#connection;
  }

  get isPaused(): boolean {
    return this.#frozen !== null;
  }

  /** Since when what is shown is no longer what is, by `performance.now()`; null: it is. */
  get staleSinceMs(): number | null {
    if (this.#frozenSinceMs !== null) return this.#frozenSinceMs;
    return this.#connection.state === "open" ? null : this.#connection.heardMs;
  }

  /** How often what came was not shown, or could not come: between values before and after one some may be missing. */
  get breaks(): number {
    return this.#breaks;
  }

  pause(isPaused: boolean): void {
    if (isPaused === this.isPaused) return;
    this.#frozenSinceMs = isPaused ? (this.staleSinceMs ?? performance.now()) : null;
    this.#frozen = isPaused ? copied(this.#columns) : null;
    if (!isPaused) this.#breaks++;
    // At once: nothing moves any more once it says so.
    this.#show();
    this.#tellState();
  }

  /** Called in a frame after values have changed, and once at first; the function given ends it. */
  follow(listener: (columns: LiveColumns) => void): () => void {
    this.#listeners.add(listener);
    listener(this.view);
    return () => this.#listeners.delete(listener);
  }

  onEvent(listener: (event: ToldEvent) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  /** For `useSyncExternalStore`: of the connection, and of a pause. */
  onState = (listener: () => void): (() => void) => {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  };

  take(message: FromWorker): void {
    if (message.kind === "readings") this.#take(message);
    else if (message.kind === "signals") this.#known(message.from, message.ids);
    else if (message.kind === "event") this.#told(message.event);
    else if (message.state !== this.#connection.state) {
      const sinceMs = performance.now();
      const heardMs = sinceMs - message.silentMs;
      this.#connection = { state: message.state, sinceMs, heardMs };
      // The line may have been silent before the pause.
      if (this.#frozenSinceMs !== null) this.#frozenSinceMs = Math.min(this.#frozenSinceMs, heardMs);
      this.#breaks++;
      this.#tellState();
    }
  }

  #told(event: ToldEvent): void {
    if (event.event === "signal.deleted") this.#forget(event.data.signal?.id ?? "");
    for (const listener of this.#eventListeners) listener(event);
  }

  #forget(id: string): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#gone.add(place);
    this.#columns.status[place] = NOTHING;
    this.#columns.at[place] = NEVER_MS;
    this.#changed();
  }

  #tellState(): void {
    for (const listener of this.#stateListeners) listener();
  }

  #known(from: number, ids: readonly string[]): void {
    ids.forEach((id, n) => {
      this.#ids[from + n] = id;
      this.#places.set(id, from + n);
    });
    const needed = from + ids.length;
    if (needed > this.#columns.at.length)
      this.#columns = copied(this.#columns, Math.max(needed, this.#columns.at.length * 2));
    this.#columns.size = Math.max(this.#columns.size, needed);
    this.#changed();
  }

  #take({ place, strength, quality, status, at }: LiveBatch): void {
    const columns = this.#columns;
    for (let n = 0; n < place.length; n++) {
      const to = place[n] ?? 0;
      if (this.#gone.has(to)) continue;
      columns.strength[to] = strength[n] ?? 0;
      columns.quality[to] = quality[n] ?? 0;
      columns.status[to] = status[n] ?? 0;
      columns.at[to] = at[n] ?? NEVER_MS;
    }
    if (this.#frozen === null) this.#changed();
  }

  #changed(): void {
    if (this.#isFramePending) return;
    this.#isFramePending = true;
    this.#frame(() => {
      this.#isFramePending = false;
      this.#show();
    });
  }

  #show(): void {
    for (const listener of this.#listeners) listener(this.view);
  }
}
