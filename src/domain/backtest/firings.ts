import type { SignalDefinition } from "../../../schemas/change.ts";
import type { AlertData, SignalServiceEvent } from "../../../schemas/event.ts";
import type { CompiledRule } from "../evaluation/rule-book.ts";
import type { SignalState } from "../evaluation/signal-state.ts";
import { shownDbm, shownQuality } from "../quality.ts";

/** An alert that would have been. `toMs` null: it was firing still. */
export interface Firing {
  readonly fromMs: number;
  readonly toMs: number | null;
  /** The value that was farthest beyond the limit: dBm, or quality. */
  readonly worst: number;
}

interface Open {
  readonly alertId: AlertData["id"];
  readonly fromMs: number;
  worst: number;
}

/** How far beyond the limits of a rule a value is; negative within them. */
const excess = ({ limits }: CompiledRule, value: number): number =>
  Math.max(limits.fireLow - value, value - limits.fireHigh);

/** Makes firings of the events of one rule on one signal. */
export class Firings {
  readonly #definition: SignalDefinition;
  readonly #ended: (firing: Firing) => void;
  readonly #changed: (atMs: number) => void;
  #open: Open | null = null;

  /** `changed` hears of every beginning and end; `ended` of what lies between them. */
  constructor(
    definition: SignalDefinition,
    ended: (firing: Firing) => void,
    changed: (atMs: number) => void,
  ) {
    this.#definition = definition;
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
    else if (this.#open?.alertId !== alert.id) {
      this.#open = { alertId: alert.id, fromMs: atMs, worst: alert.value ?? Number.NaN };
      this.#changed(atMs);
    }
  }

  /** A reading came while the rule fires; `signal` as it is after it. */
  see({ rules: [rule] }: SignalState, strength: number): void {
    if (this.#open === null || rule === undefined) return;
    const { floorDbm, ceilingDbm } = this.#definition;
    const value = rule.onQuality ? shownQuality(strength, floorDbm, ceilingDbm) : shownDbm(strength);
    if (excess(rule, value) > excess(rule, this.#open.worst)) this.#open.worst = value;
  }

  /** Nothing comes any more. */
  finish(): void {
    if (this.#open === null) return;
    const { fromMs, worst } = this.#open;
    this.#open = null;
    this.#ended({ fromMs, toMs: null, worst });
  }

  #end({ id }: AlertData, toMs: number): void {
    if (this.#open?.alertId !== id) return;
    const { fromMs, worst } = this.#open;
    this.#open = null;
    this.#changed(toMs);
    this.#ended({ fromMs, toMs, worst });
  }
}
