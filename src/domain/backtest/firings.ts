import type { AlertData } from "../../../schemas/alert.ts";
import { BACKTEST_STEPS_MAX } from "../../../schemas/backtest.ts";
import { Severity } from "../../../schemas/condition.ts";
import type { SignalServiceEvent } from "../../../schemas/event.ts";
import type { CompiledRule } from "../evaluation/compiled-rule.ts";
import { shownDbm } from "../quality.ts";

/** How the severity of an alert changed. */
export interface Step {
  readonly atMs: number;
  readonly severity: Severity;
  readonly previousSeverity: Severity;
  readonly value: number | null;
}

/** An alert that would have been. `toMs` null: it was firing still. */
export interface Firing {
  readonly fromMs: number;
  readonly toMs: number | null;
  /** The hardest that it had. */
  readonly severity: Severity;
  /** The value that was farthest beyond the limit: dBm, quality, dB of a change, or seconds of silence. */
  readonly worst: number;
  /** The first of them; all are counted. */
  readonly steps: readonly Step[];
  readonly stepsUp: number;
  readonly stepsDown: number;
}

interface Open extends Omit<Firing, "toMs"> {
  readonly alertId: AlertData["id"];
  readonly steps: Step[];
  severity: Severity;
  worst: number;
  stepsUp: number;
  stepsDown: number;
}

const begun = ({ id, severity, value }: AlertData, fromMs: number): Open => ({
  alertId: id,
  fromMs,
  severity,
  worst: value ?? Number.NaN,
  steps: [],
  stepsUp: 0,
  stepsDown: 0,
});

const isHarder = (one: Severity, other: Severity): boolean =>
  Severity.options.indexOf(one) > Severity.options.indexOf(other);

/** Whether it is a step. */
const take = (open: Open, { severity, previousSeverity, value }: AlertData, atMs: number): boolean => {
  if (previousSeverity === undefined) return false;
  if (isHarder(severity, previousSeverity)) open.stepsUp++;
  else open.stepsDown++;
  if (isHarder(severity, open.severity)) open.severity = severity;
  if (open.steps.length < BACKTEST_STEPS_MAX) open.steps.push({ atMs, severity, previousSeverity, value });
  return true;
};

/** How far beyond the limits of a rule a value is; negative within them. */
const excess = ({ levels: [{ limits }], silenceMs }: CompiledRule, value: number): number =>
  silenceMs === null ? Math.max(limits.fireLow - value, value - limits.fireHigh) : value;

/** Makes firings of the events of one rule on one signal. */
export class Firings {
  readonly #rule: CompiledRule | null;
  readonly #ended: (firing: Firing) => void;
  readonly #changed: (atMs: number) => void;
  #open: Open | null = null;

  /** `changed` hears of every beginning, step and end; `ended` of what lies between them. */
  constructor(rule: CompiledRule | null, ended: (firing: Firing) => void, changed: (atMs: number) => void) {
    this.#rule = rule;
    this.#ended = ended;
    this.#changed = changed;
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  event({ data: { alert }, createdAt }: SignalServiceEvent): void {
    if (alert === undefined) return;
    const atMs = Date.parse(createdAt);
    if (alert.state === "resolved") this.#end(alert, atMs);
    else if (this.#open?.alertId === alert.id) {
      if (take(this.#open, alert, atMs)) this.#changed(atMs);
    } else {
      this.#open = begun(alert, atMs);
      this.#changed(atMs);
    }
  }

  /** A reading came while the rule fires, and this is what the rule looks at; null: nothing. */
  see(value: number | null): void {
    if (this.#open === null || this.#rule === null || value === null) return;
    const shown = this.#rule.onQuality ? value : shownDbm(value);
    if (excess(this.#rule, shown) > excess(this.#rule, this.#open.worst)) this.#open.worst = shown;
  }

  /** Nothing comes any more. */
  finish(): void {
    if (this.#open === null) return;
    const { alertId: _, ...firing } = this.#open;
    this.#open = null;
    this.#ended({ ...firing, toMs: null });
  }

  #end({ id, value }: AlertData, toMs: number): void {
    if (this.#open?.alertId !== id) return;
    this.see(value);
    const { alertId: _, ...firing } = this.#open;
    this.#open = null;
    this.#changed(toMs);
    this.#ended({ ...firing, toMs });
  }
}
