import { qualityOf } from "../quality.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import type { SourceFlow } from "./source-flows.ts";

/** Numbers of a row: one cache line. */
const ROW = 8;
export const NEWEST_AT = 0;
export const STRENGTH = 1;
export const LAST_DATA = 2;
const LOW = 3;
const HIGH = 4;
const QUALITY_LOW = 5;
const FLOOR = 6;
const CEILING = 7;

const FIRST_ROWS = 64;

/** Between these no limit of a signal is crossed: dBm and quality, all Float32. */
export interface QuietBounds {
  readonly low: number;
  readonly high: number;
  readonly qualityLow: number;
}

/**
 * Null where a rule looks for too good a quality, which is rare and has no place in a row, or at change, for which every
 * reading counts. A rule on no data crosses no limit: that a reading came is all it needs.
 */
export const quietBounds = (rules: readonly CompiledRule[], threshold: number): QuietBounds | null => {
  let low = Number.NEGATIVE_INFINITY;
  let high = Number.POSITIVE_INFINITY;
  let qualityLow = Math.fround(threshold);
  for (const { onQuality, levels, changeStepMs } of rules) {
    const { limits } = levels[0];
    if (changeStepMs !== null) return null;
    if (!onQuality) {
      low = Math.max(low, limits.fireLow);
      high = Math.min(high, limits.fireHigh);
    } else if (limits.fireHigh === Number.POSITIVE_INFINITY) {
      qualityLow = Math.max(qualityLow, limits.fireLow);
    } else return null;
  }
  return { low, high, qualityLow };
};

/**
 * The numbers that nearly every reading needs, by slot and side by side, for most readings change nothing else: their
 * signal is settled and they cross no limit. With 100,000 signals a reading then costs three misses of the cache, not ten.
 */
export class SignalRows {
  #values = new Float64Array(FIRST_ROWS * ROW);
  readonly #flows: (SourceFlow | null)[] = [];

  /** A slot's row begins, roused. */
  begin(slot: number): void {
    if (slot * ROW >= this.#values.length) {
      const grown = new Float64Array(this.#values.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
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
    return this.#values[slot * ROW + field] ?? Number.NaN;
  }

  set(slot: number, field: number, value: number): void {
    this.#values[slot * ROW + field] = value;
  }

  /** No strength is above this bound: every reading is looked at in full. */
  rouse(slot: number): void {
    this.#values[slot * ROW + LOW] = Number.POSITIVE_INFINITY;
  }

  settle(
    slot: number,
    bounds: QuietBounds & { readonly floorDbm: number; readonly ceilingDbm: number },
  ): void {
    this.set(slot, LOW, bounds.low);
    this.set(slot, HIGH, bounds.high);
    this.set(slot, QUALITY_LOW, bounds.qualityLow);
    this.set(slot, FLOOR, bounds.floorDbm);
    this.set(slot, CEILING, bounds.ceilingDbm);
  }

  /** Remembers a reading that changes nothing else. False, and nothing done, if it might. */
  remember(slot: number, atMs: number, strength: number, noDataMs: number): boolean {
    const values = this.#values;
    const row = slot * ROW;
    const compared = Math.fround(strength);
    if (atMs < (values[row] ?? 0)) return false;
    if (compared < (values[row + LOW] ?? 0) || compared > (values[row + HIGH] ?? 0)) return false;
    const quality = qualityOf(compared, values[row + FLOOR] ?? 0, values[row + CEILING] ?? 0);
    if (Math.fround(quality) < (values[row + QUALITY_LOW] ?? 0)) return false;
    values[row] = atMs;
    values[row + STRENGTH] = strength;
    const flow = this.flowAt(slot);
    values[row + LAST_DATA] = flow === null ? noDataMs : flow.ms(noDataMs);
    return true;
  }
}
