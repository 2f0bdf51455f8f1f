import type { AlertData } from "../../../schemas/alert.ts";
import type { SignalDefinition } from "../../../schemas/change.ts";
import type { SignalServiceEvent } from "../../../schemas/event.ts";
import type { ExplainedReading, ExplainStep } from "../../../schemas/explain.ts";
import type { Rule } from "../../../schemas/rule.ts";
import { PastSignal } from "../backtest/past-signal.ts";
import { shownDbm } from "../quality.ts";
import { type Phase, phaseOf } from "./phase.ts";
import { shownNumber, shownSeconds, shownTime } from "./words.ts";

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
  #events: AlertData[] = [];

  constructor(rule: Rule, definition: SignalDefinition) {
    this.#rule = rule;
    this.#id = definition.id;
    this.#past = new PastSignal(definition, [rule], {
      event: ({ data: { alert } }: SignalServiceEvent) => {
        if (alert !== undefined) this.#events.push(alert);
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
  #notice(atMs: number, cause: string): void {
    const [before, after] = [this.#phase, phaseOf(this.#past.signal)];
    const events = this.#events;
    if (before.name === after.name && before.sinceMs === after.sinceMs && events.length === 0) return;
    this.#phase = after;
    this.#events = [];
    for (const alert of events) this.#add(this.#ofAlert(atMs, alert, cause));
    if (after.name === "pending" && before.name !== "pending") this.#add(this.#pending(after, cause));
    if (after.name === "clearing" && before.name !== "clearing") this.#add(this.#clearing(after, cause));
    if (before.name === "pending" && after.name === "idle" && events.length === 0)
      this.#add(this.#pendingEnded(atMs, before, cause));
    if (before.name === "clearing" && after.name === "firing" && events.length === 0)
      this.#add({
        kind: "firing",
        at: shownTime(atMs),
        text: `It goes on firing: ${cause} is not clear of the limit.`,
      });
  }

  #ofAlert(atMs: number, { state, value, limit, resolveReason }: AlertData, cause: string): ExplainStep {
    const figures = value === null ? { limit } : { value, limit };
    const at = shownTime(atMs);
    if (state === "firing") {
      const waited =
        this.#rule.forSeconds > 0 ? `, after ${shownNumber(this.#rule.forSeconds)} s of waiting` : "";
      return { kind: "firing", at, ...figures, text: `It fires: ${figureText(value, limit)}${waited}.` };
    }
    const why = resolveReason === "recovered" ? `${cause} ends it` : `reason: ${resolveReason}`;
    return { kind: "ended", at, ...figures, text: `It resolves: ${why}.` };
  }

  #pending({ sinceMs, untilMs }: Phase, cause: string): ExplainStep {
    const text = `It is pending: ${cause} is beyond the limit, and has to be for ${shownSeconds(untilMs - sinceMs)}.`;
    return { kind: "pending", at: shownTime(sinceMs), until: shownTime(untilMs), text };
  }

  #clearing({ sinceMs, untilMs }: Phase, cause: string): ExplainStep {
    const text = `${capital(cause)} is clear of the limit; it is kept firing for another ${shownSeconds(untilMs - sinceMs)}.`;
    return { kind: "clearing", at: shownTime(sinceMs), until: shownTime(untilMs), text };
  }

  #pendingEnded(atMs: number, { sinceMs, untilMs }: Phase, cause: string): ExplainStep {
    const [held, needed] = [shownSeconds(atMs - sinceMs), shownSeconds(untilMs - sinceMs)];
    const text = `It does not fire: ${cause} ends the wait after ${held} of ${needed}.`;
    return { kind: "ended", at: shownTime(atMs), text };
  }

  #add(step: ExplainStep): void {
    this.steps.push(step);
    if (this.steps.length <= STEPS_TOLD) return;
    this.steps.shift();
    this.earlier++;
  }
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const figureText = (value: number | null, limit: number): string =>
  value === null
    ? `beyond the limit of ${shownNumber(limit)}`
    : `${shownNumber(value)} is beyond ${shownNumber(limit)}`;
