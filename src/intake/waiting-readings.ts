import type { Labels } from "../../schemas/common.ts";
import type { BackPressure } from "./back-pressure.ts";
import type { Receipt } from "./receipt.ts";
import type { Kept } from "./rejection-log.ts";

/** What is really held, roughly and on 64 bits: a reading with its numbers, a name with its record, one more text. */
const READING_BYTES = 100;
const NAME_BYTES = 500;
const TEXT_BYTES = 50;
/** A source whose waiting readings weigh more is paused alone, and resumed at half of it. */
const BYTES_MAX = 8 * 1024 * 1024;
/** A rejection is kept with its message ten times a second: to hold more messages for it would be in vain. */
const PAYLOADS_MAX = 10;

export interface NewReading {
  readonly atMs: number;
  readonly strength: number;
  readonly receipt: Receipt;
}
export interface WaitingReading extends NewReading {
  /** What is to be kept of its message, if its rejection would be kept. */
  readonly kept: Kept | null;
}
/** The message and the element that a reading comes from, asked only for what is to be kept of them. */
export interface Origin {
  kept(): Kept | null;
  labels(): Labels;
}
export interface WaitingName {
  readonly labels: Labels;
  readonly readings: WaitingReading[];
}

const textBytes = (text: string): number => TEXT_BYTES + 2 * text.length;

const nameBytes = (name: string, labels: Labels): number =>
  Object.values(labels).reduce((bytes, value) => bytes + textBytes(value), NAME_BYTES + textBytes(name));

const readingBytes = ({ kept }: WaitingReading): number =>
  READING_BYTES + (kept === null ? 0 : textBytes(kept.payload));

/** Readings of one source whose names are still unknown, by name, in their order. */
export class WaitingReadings {
  readonly #pressure: BackPressure;
  readonly #tooMany: (tooMany: boolean) => void;
  readonly #names = new Map<string, WaitingName>();
  #count = 0;
  #payloads = 0;
  #bytes = 0;
  #full = false;

  constructor(pressure: BackPressure, tooMany: (tooMany: boolean) => void) {
    this.#pressure = pressure;
    this.#tooMany = tooMany;
  }

  /** Readings, over all names. */
  get count(): number {
    return this.#count;
  }

  get empty(): boolean {
    return this.#names.size === 0;
  }

  has(name: string): boolean {
    return this.#names.size > 0 && this.#names.has(name);
  }

  add(name: string, { atMs, strength, receipt }: NewReading, origin: Origin): void {
    const waiting = this.#names.get(name) ?? this.#addName(name, origin.labels());
    const kept = this.#payloads < PAYLOADS_MAX ? origin.kept() : null;
    const reading = { atMs, strength, receipt, kept };
    waiting.readings.push(reading);
    this.#count++;
    if (kept !== null) this.#payloads++;
    this.#weigh(readingBytes(reading));
  }

  /** The names that have waited longest. */
  first(limit: number): Map<string, WaitingName> {
    const names = new Map<string, WaitingName>();
    for (const [name, waiting] of this.#names) {
      names.set(name, waiting);
      if (names.size === limit) break;
    }
    return names;
  }

  /** The name waits no longer; gives its readings. */
  take(name: string): readonly WaitingReading[] {
    const waiting = this.#names.get(name);
    if (waiting === undefined) return [];
    this.#names.delete(name);
    let bytes = nameBytes(name, waiting.labels);
    for (const reading of waiting.readings) {
      bytes += readingBytes(reading);
      if (reading.kept !== null) this.#payloads--;
    }
    this.#count -= waiting.readings.length;
    this.#weigh(-bytes);
    return waiting.readings;
  }

  clear(): void {
    for (const name of [...this.#names.keys()]) this.take(name);
  }

  #addName(name: string, labels: Labels): WaitingName {
    const waiting = { labels, readings: [] };
    this.#names.set(name, waiting);
    this.#weigh(nameBytes(name, labels));
    return waiting;
  }

  #weigh(bytes: number): void {
    this.#bytes += bytes;
    if (bytes > 0) this.#pressure.take(bytes);
    else this.#pressure.give(-bytes);
    const full = this.#full ? this.#bytes > BYTES_MAX / 2 : this.#bytes > BYTES_MAX;
    if (full === this.#full) return;
    this.#full = full;
    this.#tooMany(full);
  }
}
