import type { AlertData } from "../../../schemas/alert.ts";
import type { SignalServiceEvent } from "../../../schemas/event.ts";
import type { CompiledRule } from "../evaluation/compiled-rule.ts";
import { shownDbm } from "../quality.ts";

/** An alert that would have been. `toMs` null: it was firing still. */
export interface Firing {
  readonly fromMs: number;
  readonly toMs: number | null;
  /** The value that was farthest beyond the limit: dBm, quality, dB of a change, or seconds of silence. */
  readonly worst: number;
}

interface Open {
  readonly alertId: AlertData["id"];
  readonly fromMs: number;
  worst: number;
}

/** How far beyond the limits of a rule a value is; negative within them. */
const excess = ({ levels: [{ limits }], silenceMs }: CompiledRule, value: number): number =>
  silenceMs === null ? Math.max(limits.fireLow - value, value - limits.fireHigh) : value;

/** Makes firings of the events of one rule on one signal. */
export class Firings {
  readonly #rule: CompiledRule | null;
  readonly #ended: (firing: Firing) => void;
  readonly #changed: (atMs: number) => void;
  #open: Open | null = null;

  /** `changed` hears of every beginning and end; `ended` of what lies between them. */
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
    else if (this.#open?.alertId !== alert.id) {
      this.#open = { alertId: alert.id, fromMs: atMs, worst: alert.value ?? Number.NaN };
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
    const { fromMs, worst } = this.#open;
    this.#open = null;
    this.#ended({ fromMs, toMs: null, worst });
  }

  #end({ id, value }: AlertData, toMs: number): void {
    if (this.#open?.alertId !== id) return;
    this.see(value);
    const { fromMs, worst } = this.#open;
    this.#open = null;
    this.#changed(toMs);
    this.#ended({ fromMs, toMs, worst });
  }
}
