import type { AccountId, EventId, SignalId } from "../../schemas/common.ts";
import type { EventKind } from "../../schemas/event.ts";

/** An event as readers get it: what filters look at, and the text that every answer carries unchanged. */
export interface FeedEntry {
  /** The event's first offset in topic `events`. */
  readonly position: number;
  readonly id: EventId;
  readonly accountId: AccountId;
  readonly signalId: SignalId | null;
  readonly kind: EventKind;
  readonly createdAtMs: number;
  readonly text: string;
}

/** A piece of the ring: what matched, and through which position nothing is left out. */
export interface RingRead {
  readonly entries: FeedEntry[];
  readonly through: number;
}

/** What an entry costs beside its text: object, index entry, id. */
const ENTRY_BYTES = 300;
const bytesOf = (entry: FeedEntry): number => 2 * entry.text.length + ENTRY_BYTES;

/**
 * The newest events in order of position, bounded by count and bytes, complete from `start` up to (not with) `end`.
 * It lets go only of what is known to be stored elsewhere: `trim` says up to where that is.
 */
export class EventRing {
  readonly #eventsMax: number;
  readonly #bytesMax: number;
  readonly #positions = new Map<EventId, number>();
  /** Of each account the newest event below `start`. */
  #newestBefore: Map<AccountId, EventId>;
  #entries: FeedEntry[] = [];
  #head = 0;
  #bytes = 0;
  #start: number;
  #end: number;

  constructor(
    limits: { events: number; bytes: number },
    start: number,
    newestBefore: ReadonlyMap<AccountId, EventId>,
  ) {
    this.#eventsMax = limits.events;
    this.#bytesMax = limits.bytes;
    this.#newestBefore = new Map(newestBefore);
    this.#start = start;
    this.#end = start;
  }

  get start(): number {
    return this.#start;
  }
  get end(): number {
    return this.#end;
  }
  get size(): number {
    return this.#entries.length - this.#head;
  }
  get bytes(): number {
    return this.#bytes;
  }
  get isOver(): boolean {
    return this.#fill > 1;
  }

  append(entry: FeedEntry): void {
    if (entry.position < this.#end) throw new RangeError(`position ${entry.position} is below ${this.#end}`);
    this.#entries.push(entry);
    this.#positions.set(entry.id, entry.position);
    this.#bytes += bytesOf(entry);
    this.#end = entry.position + 1;
  }

  /** Positions below `end` are accounted for, also those that held nothing new. */
  advance(end: number): void {
    this.#end = Math.max(this.#end, end);
  }

  /** Begins anew at a position below which everything is stored. */
  restart(at: number, newestBefore: ReadonlyMap<AccountId, EventId>): void {
    this.#newestBefore = new Map(newestBefore);
    this.#entries = [];
    this.#positions.clear();
    this.#head = 0;
    this.#bytes = 0;
    this.#start = at;
    this.#end = at;
  }

  /** Lets go of the oldest entries below `stored` until the ring is nine tenths full. */
  trim(stored: number): void {
    while (this.#fill > 0.9) {
      const oldest = this.#entries[this.#head];
      if (oldest === undefined || oldest.position >= stored) break;
      this.#head++;
      this.#bytes -= bytesOf(oldest);
      this.#positions.delete(oldest.id);
      this.#newestBefore.set(oldest.accountId, oldest.id);
      this.#start = oldest.position + 1;
    }
    if (this.#head > this.#entries.length / 2) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Up to `limit` matching entries after a position at or above `start - 1`. */
  read(after: number, limit: number, matches: (entry: FeedEntry) => boolean): RingRead {
    if (after + 1 < this.#start) throw new RangeError(`position ${after + 1} is below ${this.#start}`);
    const entries: FeedEntry[] = [];
    for (let i = this.#indexAfter(after); i < this.#entries.length; i++) {
      const entry = this.#entries[i];
      if (entry === undefined || !matches(entry)) continue;
      entries.push(entry);
      if (entries.length === limit) return { entries, through: entry.position };
    }
    return { entries, through: Math.max(after, this.#end - 1) };
  }

  positionOf(accountId: AccountId, id: EventId): number | null {
    const position = this.#positions.get(id);
    if (position === undefined) return null;
    const entry = this.#entries[this.#indexAfter(position - 1)];
    return entry?.accountId === accountId ? position : null;
  }

  /** The newest event of an account at a position or before it; null: there is none. */
  newest(accountId: AccountId, position: number): EventId | null {
    for (let i = this.#indexAfter(position) - 1; i >= this.#head; i--) {
      const entry = this.#entries[i];
      if (entry?.accountId === accountId) return entry.id;
    }
    return this.#newestBefore.get(accountId) ?? null;
  }

  has(id: EventId): boolean {
    return this.#positions.has(id);
  }

  get #fill(): number {
    return Math.max(this.size / this.#eventsMax, this.#bytes / this.#bytesMax);
  }

  #indexAfter(position: number): number {
    let low = this.#head;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.position ?? Number.POSITIVE_INFINITY) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
