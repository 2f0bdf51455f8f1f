import { BACKTEST_FIRINGS_MAX, BACKTEST_FLAPPING_MAX } from "../../../schemas/backtest.ts";
import type { SignalId } from "../../../schemas/common.ts";
import type { Rule } from "../../../schemas/rule.ts";
import type { Firing } from "./firings.ts";
import type { FlapCounter } from "./flaps.ts";

/** A signal on which the rule flaps. */
export interface Flapping {
  readonly signalId: SignalId;
  readonly changes: number;
  readonly firstMs: number;
}

/** What a backtest has found so far; bounded, however often the rule fires. */
export class Findings {
  readonly firings: (Firing & { readonly signalId: SignalId })[] = [];
  /** Those that change most first. */
  flapping: Flapping[] = [];
  firingCount = 0;
  /** Of all firings, by the hardest severity of each. */
  readonly severities = { info: 0, warning: 0, critical: 0 };
  stepsUp = 0;
  stepsDown = 0;
  readings = 0;
  /** Signals that have readings, and those on which the rule fired. */
  read = 0;
  fired = 0;
  /** Readings of the same time as the one before: which came first is not known. */
  sameTime = 0;
  /** Lines that are no reading. */
  refused = 0;
  /** Firings that may have begun before the first reading. */
  begunBefore = 0;
  /** Events that the evaluator told. */
  events = 0;
  readonly #forMs: number;

  constructor({ forSeconds }: Rule) {
    this.#forMs = forSeconds * 1000;
  }

  add(signalId: SignalId, firing: Firing, firstReadingMs: number): void {
    this.firingCount++;
    this.severities[firing.severity]++;
    this.stepsUp += firing.stepsUp;
    this.stepsDown += firing.stepsDown;
    if (firing.fromMs <= firstReadingMs + this.#forMs) this.begunBefore++;
    if (this.firings.length < BACKTEST_FIRINGS_MAX) this.firings.push({ signalId, ...firing });
  }

  /** A signal is done. */
  addSignal(signalId: SignalId, { isFlapping, changes, firstMs }: FlapCounter): void {
    if (changes > 0) this.fired++;
    if (!isFlapping) return;
    this.flapping.push({ signalId, changes, firstMs });
    this.flapping.sort((a, b) => b.changes - a.changes);
    this.flapping.length = Math.min(this.flapping.length, BACKTEST_FLAPPING_MAX);
  }
}
