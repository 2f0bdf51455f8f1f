import type { EventData } from "../../../schemas/event.ts";
import type { Signal } from "../../../schemas/signal.ts";
import type { AlertNote } from "./alerts.ts";
import type { Emitter } from "./emitter.ts";
import type { HeldEvent, Hush } from "./ongoing.ts";
import type { SignalState } from "./signal-state.ts";
import { failsByRule, isFailed, reasonsOf } from "./signal-view.ts";
import type { SilenceBook } from "./silence-book.ts";

/** The old values of what changed. */
export type Previous = Partial<Signal>;

const NO_REASONS = { reasons: [] };

/** Those of one rule stay as they were noted. */
const inRuleOrder = ({ alert: a }: AlertNote, { alert: b }: AlertNote): number =>
  a.ruleId === b.ruleId ? 0 : a.ruleId < b.ruleId ? -1 : 1;

interface Settled {
  /** What the signal was before it recovered; null: it did not. */
  readonly recovered: Previous | null;
  /** The event of the failure that is over, if nobody was told of it. */
  readonly unheard: HeldEvent | null;
  readonly started: boolean;
}

/**
 * One step of one signal: first its state moves, then, at `end`, the events of it are emitted: alerts in the order of
 * their rules, then what became of the signal. One object serves all steps, for a step without a
 * transition costs nothing.
 */
export class Step {
  /** The slots of signals of which something was held back, and maybe of others. */
  readonly held = new Set<number>();
  readonly #emitter: Emitter;
  readonly #silences: SilenceBook;
  #alerts: AlertNote[] = [];
  #touched = false;
  #wasFailed = false;
  #reasons: ReturnType<typeof reasonsOf> = NO_REASONS;

  constructor(emitter: Emitter, silences: SilenceBook) {
    this.#emitter = emitter;
    this.#silences = silences;
  }

  /** To be called before a condition of the signal starts or ends. */
  touch(signal: SignalState): void {
    if (this.#touched) return;
    this.#touched = true;
    this.#wasFailed = isFailed(signal);
    this.#reasons = this.#wasFailed ? reasonsOf(signal) : NO_REASONS;
  }

  note(alert: AlertNote): void {
    this.#alerts.push(alert);
  }

  end(signal: SignalState): void {
    if (!this.#touched) return;
    const { recovered, unheard, started } = this.#settle(signal);
    if (recovered !== null)
      this.#emitter.emit(signal, "signal.updated", {
        previous: recovered,
        ...this.#unheard(signal, unheard),
      });
    this.#tellFailure(signal, started);
  }

  /** As `end`, where the definition changed too: one `signal.updated` tells of the change and of a recovery. */
  endChange(signal: SignalState, previous: Previous): void {
    const { recovered, unheard, started } = this.#settle(signal);
    const isChanged = Object.keys(previous).length > 0;
    const hush = isChanged ? {} : this.#unheard(signal, unheard);
    if (isChanged || recovered !== null)
      this.#emitter.emit(signal, "signal.updated", { previous: { ...previous, ...recovered }, ...hush });
    this.#tellFailure(signal, started);
  }

  endDeletion(signal: SignalState): void {
    const { recovered } = this.#settle(signal);
    const data: EventData = recovered === null ? {} : { previous: recovered };
    this.#emitter.emit(signal, "signal.deleted", data);
  }

  #settle(signal: SignalState): Settled {
    const notes = this.#alerts;
    if (notes.length > 0) this.#alerts = [];
    if (notes.length > 1) notes.sort(inRuleOrder);
    for (const note of notes) this.#tellAlert(signal, note);
    const wasFailed = this.#touched && this.#wasFailed;
    const nowFailed = isFailed(signal);
    const recovered: Previous | null =
      wasFailed && !nowFailed ? { status: "failed", ...this.#reasons } : null;
    const unheard = signal.heldFailure;
    if (!nowFailed && unheard !== null) signal.change({ heldFailure: null });
    const started = this.#touched && !wasFailed && nowFailed;
    this.#touched = false;
    return { recovered, unheard, started };
  }

  #tellAlert(signal: SignalState, { kind, condition, alert, hush }: AlertNote): void {
    if (hush === null || kind !== "alert.firing" || condition === null) {
      this.#emitter.emit(signal, kind, { alert, ...hush });
      return;
    }
    condition.held = { event: this.#emitter.emitNamed(signal, kind, { alert, ...hush }), by: hush };
    this.held.add(signal.slot);
  }

  /** Tells that the signal has failed; or that it is failed still, once nothing holds that back any more. */
  #tellFailure(signal: SignalState, started: boolean): void {
    const before = signal.heldFailure;
    if (!started && before === null) return;
    const hush = this.#hushOf(signal);
    if (!started && hush !== null) return;
    const { reasons } = reasonsOf(signal);
    const data = { reasons };
    if (hush === null) {
      if (before !== null) signal.change({ heldFailure: null });
      const repeat = started || before === null ? {} : { repeatOf: before.event };
      this.#emitter.emit(signal, "signal.failed", { ...data, ...repeat });
      return;
    }
    const event = this.#emitter.emitNamed(signal, "signal.failed", { ...data, ...hush });
    signal.change({ heldFailure: { event, by: hush } });
    this.held.add(signal.slot);
  }

  /** Why nobody is told that the signal is failed: a silence of all of it, or every reason is an alert unheard of. */
  #hushOf(signal: SignalState): Hush | null {
    const silence = this.#silenceOf(signal);
    if (silence !== null) return silence;
    if (signal.belowThreshold !== null || signal.noData !== null) return null;
    const failing = signal.conditions.filter(failsByRule);
    return failing.every(({ held }) => held !== null) ? (failing[0]?.held?.by ?? null) : null;
  }

  /** Why nobody is told of the end of a failure that nobody heard of. */
  #unheard(signal: SignalState, failure: HeldEvent | null): Hush {
    return failure === null ? {} : (this.#silenceOf(signal) ?? failure.by);
  }

  #silenceOf(signal: SignalState): Hush | null {
    const silencedBy = this.#silences.covering(signal, null);
    return silencedBy === null ? null : { silencedBy };
  }
}
