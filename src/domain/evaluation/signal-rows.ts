import { qualityOf, type Scale } from "../quality.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import { roomFor } from "./room.ts";
import type { SourceFlow } from "./source-flows.ts";

/** Bytes of a row: half a cache line. Three numbers, then the two bounds as Float32. */
const ROW_BYTES = 32;
const NUMBERS = ROW_BYTES / Float64Array.BYTES_PER_ELEMENT;
export const NEWEST_AT = 0;
export const STRENGTH = 1;
export const LAST_DATA = 2;
const FLOATS = ROW_BYTES / Float32Array.BYTES_PER_ELEMENT;
const LOW = 6;
const HIGH = 7;

/** Of a row that hardly anybody looks at. */
const TIMES = 2;
export const CREATED_AT = 0;
export const UPDATED_AT = 1;

const FIRST_ROWS = 64;

const grown = (old: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> => {
  const next = new Float64Array(length);
  next.set(old);
  return next;
};

/** From `low` to `high` no limit of a signal is crossed: dBm, Float32. */
export interface QuietBounds {
  readonly low: number;
  readonly high: number;
}

/** How far a bound in dBm is off the limit of quality that it stands for: between them a reading is looked at in full. */
const MARGIN_DB = 0.001;

const isOrdered = ({ floorDbm, ceilingDbm }: Scale): boolean => floorDbm < ceilingDbm;
const strengthOf = (quality: number, { floorDbm, ceilingDbm }: Scale): number =>
  floorDbm + quality * (ceilingDbm - floorDbm);

/** A strength from which on upwards the quality is no less than `limit`. That it is so is asked, for rounding is not argued with. */
const lowFor = (limit: number, scale: Scale): number => {
  if (limit <= 0) return Number.NEGATIVE_INFINITY;
  const low = Math.fround(strengthOf(limit, scale) + MARGIN_DB);
  const holds = Math.fround(qualityOf(low, scale.floorDbm, scale.ceilingDbm)) >= limit;
  return isOrdered(scale) && holds ? low : Number.POSITIVE_INFINITY;
};

/** As `lowFor`: the quality is no more than `limit` down from here. */
const highFor = (limit: number, scale: Scale): number => {
  if (limit >= 1) return Number.POSITIVE_INFINITY;
  const high = Math.fround(strengthOf(limit, scale) - MARGIN_DB);
  const holds = Math.fround(qualityOf(high, scale.floorDbm, scale.ceilingDbm)) <= limit;
  return isOrdered(scale) && holds ? high : Number.NEGATIVE_INFINITY;
};

/**
 * Null where a rule looks at change, for which every reading counts. A rule on no data crosses no limit: that a reading
 * came is all it needs.
 */
export const quietBounds = (
  rules: readonly CompiledRule[],
  settings: Scale & { readonly threshold: number },
): QuietBounds | null => {
  let low = lowFor(Math.fround(settings.threshold), settings);
  let high = Number.POSITIVE_INFINITY;
  for (const { onQuality, levels, changeStepMs } of rules) {
    const { fireLow, fireHigh } = levels[0].limits;
    if (changeStepMs !== null) return null;
    low = Math.max(low, onQuality ? lowFor(fireLow, settings) : fireLow);
    high = Math.min(high, onQuality ? highFor(fireHigh, settings) : fireHigh);
  }
  return { low, high };
};

/**
 * The numbers that nearly every reading needs, by slot and side by side, for most readings change nothing else: their
 * signal is settled and they cross no limit. With 100,000 signals a reading then costs three misses of the cache, not ten.
 */
export class SignalRows {
  #numbers = new Float64Array(FIRST_ROWS * NUMBERS);
  /** The same bytes. */
  #floats = new Float32Array(this.#numbers.buffer);
  #times = new Float64Array(FIRST_ROWS * TIMES);
  readonly #flows: (SourceFlow | null)[] = [];

  /** A slot's row begins, roused. */
  begin(slot: number): void {
    if (slot * NUMBERS >= this.#numbers.length) this.#grow(slot + 1);
    this.#flows[slot] = null;
    this.rouse(slot);
  }

  flowAt(slot: number): SourceFlow | null {
    return this.#flows[slot] ?? null;
  }

  setFlow(slot: number, flow: SourceFlow | null): void {
    this.#flows[slot] = flow;
  }

  get(slot: number, field: number): number {
    return this.#numbers[slot * NUMBERS + field] ?? Number.NaN;
  }

  set(slot: number, field: number, value: number): void {
    this.#numbers[slot * NUMBERS + field] = value;
  }

  timeAt(slot: number, field: number): number {
    return this.#times[slot * TIMES + field] ?? Number.NaN;
  }

  setTime(slot: number, field: number, value: number): void {
    this.#times[slot * TIMES + field] = value;
  }

  /** No strength is above this bound: every reading is looked at in full. */
  rouse(slot: number): void {
    this.#floats[slot * FLOATS + LOW] = Number.POSITIVE_INFINITY;
  }

  settle(slot: number, { low, high }: QuietBounds): void {
    this.#floats[slot * FLOATS + LOW] = low;
    this.#floats[slot * FLOATS + HIGH] = high;
  }

  /** Remembers a reading that changes nothing else. False, and nothing done, if it might. */
  remember(slot: number, atMs: number, strength: number, noDataMs: number): boolean {
    const numbers = this.#numbers;
    const row = slot * NUMBERS;
    if (atMs < (numbers[row] ?? 0)) return false;
    const floats = this.#floats;
    const bounds = slot * FLOATS;
    const compared = Math.fround(strength);
    if (compared < (floats[bounds + LOW] ?? 0) || compared > (floats[bounds + HIGH] ?? 0)) return false;
    numbers[row] = atMs;
    numbers[row + STRENGTH] = strength;
    const flow = this.flowAt(slot);
    numbers[row + LAST_DATA] = flow === null ? noDataMs : flow.ms(noDataMs);
    return true;
  }

  #grow(atLeast: number): void {
    const rows = roomFor(atLeast, this.#numbers.length / NUMBERS);
    this.#numbers = grown(this.#numbers, rows * NUMBERS);
    this.#floats = new Float32Array(this.#numbers.buffer);
    this.#times = grown(this.#times, rows * TIMES);
  }
}
