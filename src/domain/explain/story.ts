import type { AlertData } from "../../../schemas/alert.ts";
import type { SignalDefinition } from "../../../schemas/change.ts";
import type { ExplainedReading, ExplainStep } from "../../../schemas/explain.ts";
import type { Rule } from "../../../schemas/rule.ts";
import { PastSignal } from "../backtest/past-signal.ts";
import { shownDbm } from "../quality.ts";
import { type Phase, phaseOf } from "./phase.ts";
import { alertStep, phaseStep } from "./step-words.ts";
import { shownNumber, shownTime } from "./words.ts";

/** Readings and steps that are told of: the newest. */
const READINGS_TOLD = 20;
const STEPS_TOLD = 30;

const encoder = new TextEncoder();

/** Unix ms and dBm. */
export interface StoryReading {
  readonly atMs: number;
  readonly strength: number;
}

/** A stored strength as a line has it, every digit kept and without an exponent. */
const exact = (strength: number): string =>
  Math.abs(strength) < 1e-6 ? strength.toFixed(14) : String(strength);

/** What became of a rule on a signal, reading by reading, by the evaluator itself. */
export class Story {
  /** What happened, oldest first; of more, the newest. */
  readonly steps: ExplainStep[] = [];
  readonly readings: ExplainedReading[] = [];
  /** Steps that are not told of. */
  earlier = 0;
  readonly #rule: Rule;
  readonly #past: PastSignal;
  readonly #id: string;
  #phase: Phase = phaseOf(null);
  #alerts: { readonly atMs: number; readonly alert: AlertData }[] = [];

  constructor(rule: Rule, definition: SignalDefinition) {
    this.#rule = rule;
    this.#id = definition.id;
    this.#past = new PastSignal(definition, [rule], {
      event: ({ createdAt, data: { alert } }) => {
        if (alert !== undefined) this.#alerts.push({ atMs: Date.parse(createdAt), alert });
      },
      refused: () => undefined,
    });
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** `left`: how many readings come behind this one. */
  read({ atMs, strength }: StoryReading, left: number): void {
    this.passTo(atMs + 1);
    if (left < READINGS_TOLD) this.#tell(atMs, strength);
    this.#past.read(encoder.encode(`${this.#id}\t${atMs}\t${exact(strength)}\n`), atMs);
    this.#notice(atMs, `the reading of ${shownNumber(strength)} dBm`);
  }

  /** Time goes by: what was due before `ms` happens. */
  passTo(ms: number): void {
    this.#past.passTo(ms);
    this.#notice(this.#past.nowMs, "time");
  }

  #tell(atMs: number, strength: number): void {
    const verdict = this.#past.verdict(this.#rule.id, strength);
    if (verdict === null) return;
    const { explanation: text } = verdict;
    const outcome = verdict.outcome === "fails" ? "fires" : verdict.outcome;
    this.readings.push({ at: shownTime(atMs), strength: shownDbm(strength), outcome, text });
  }

  /** What has changed since it was looked at last, and what made it change. */
  #notice(nowMs: number, cause: string): void {
    const [before, after] = [this.#phase, phaseOf(this.#past.signal)];
    const alerts = this.#alerts;
    if (before.name === after.name && before.sinceMs === after.sinceMs && alerts.length === 0) return;
    this.#phase = after;
    this.#alerts = [];
    for (const { atMs, alert } of alerts) this.#add(alertStep(this.#rule, atMs, alert, cause));
    const isTold = alerts.length > 0 && (after.name === "idle" || after.name === "firing");
    const step = isTold ? null : phaseStep(before, after, nowMs, cause);
    if (step !== null) this.#add(step);
  }

  #add(step: ExplainStep): void {
    this.steps.push(step);
    if (this.steps.length <= STEPS_TOLD) return;
    this.steps.shift();
    this.earlier++;
  }
}
