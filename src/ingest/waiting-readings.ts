import type { Labels } from "../../schemas/common.ts";
import type { BackPressure } from "./back-pressure.ts";

/** What a waiting reading is taken to weigh. */
const READING_BYTES = 100;
/** A source with more readings waiting for ids is paused alone, and resumed at half of it. */
const READINGS_MAX = 50_000;

export interface WaitingReading {
  readonly atMs: number;
  readonly strength: number;
  /** The message it came in, if its rejection would be kept. */
  readonly payload: string | null;
}
export interface WaitingName {
  readonly labels: Labels;
  readonly readings: WaitingReading[];
}

/** Readings of one source whose names are still unknown, by name, in their order. */
export class WaitingReadings {
  readonly #pressure: BackPressure;
  readonly #tooMany: (tooMany: boolean) => void;
  readonly #names = new Map<string, WaitingName>();
  #count = 0;

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

  /** `labels` is called for names that do not wait yet. */
  add(name: string, reading: WaitingReading, labels: () => Labels): void {
    const known = this.#names.get(name);
    if (known === undefined) this.#names.set(name, { labels: labels(), readings: [reading] });
    else known.readings.push(reading);
    this.#pressure.take(READING_BYTES);
    this.#count++;
    if (this.#count === READINGS_MAX + 1) this.#tooMany(true);
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
    const readings = this.#names.get(name)?.readings ?? [];
    this.#names.delete(name);
    const before = this.#count;
    this.#count -= readings.length;
    this.#pressure.give(readings.length * READING_BYTES);
    if (before > READINGS_MAX / 2 && this.#count <= READINGS_MAX / 2) this.#tooMany(false);
    return readings;
  }

  clear(): void {
    for (const name of [...this.#names.keys()]) this.take(name);
  }
}
