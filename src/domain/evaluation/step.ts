import type { AlertData, EventData } from "../../../schemas/event.ts";
import type { Reason, Signal } from "../../../schemas/signal.ts";
import type { Emitter } from "./emitter.ts";
import type { SignalState } from "./signal-state.ts";
import { isFailed, reasonsOf } from "./signal-view.ts";

/** The old values of what changed. */
export type Previous = Partial<Signal>;

/**
 * One step of one signal: first its state moves, then, at `end`, the events of it are emitted: alerts in the order in
 * which they were noted, then what became of the signal. One object serves all steps, for a step without a
 * transition costs nothing.
 */
export class Step {
  readonly #emitter: Emitter;
  #alerts: AlertData[] = [];
  #touched = false;
  #wasFailed = false;
  #reasons: Reason[] = [];

  constructor(emitter: Emitter) {
    this.#emitter = emitter;
  }

  /** To be called before a condition of the signal starts or ends. */
  touch(signal: SignalState): void {
    if (this.#touched) return;
    this.#touched = true;
    this.#wasFailed = isFailed(signal);
    this.#reasons = this.#wasFailed ? reasonsOf(signal) : [];
  }

  note(alert: AlertData): void {
    this.#alerts.push(alert);
  }

  end(signal: SignalState): void {
    if (!this.#touched) return;
    const failure = this.#settle(signal);
    if (failure.recovered !== null)
      this.#emitter.emit(signal, "signal.updated", { previous: failure.recovered });
    if (failure.started) this.#emitter.emit(signal, "signal.failed", { reasons: reasonsOf(signal) });
  }

  /** As `end`, where the definition changed too: one `signal.updated` tells of the change and of a recovery. */
  endChange(signal: SignalState, previous: Previous): void {
    const failure = this.#settle(signal);
    const changed = { ...previous, ...failure.recovered };
    if (Object.keys(changed).length > 0) this.#emitter.emit(signal, "signal.updated", { previous: changed });
    if (failure.started) this.#emitter.emit(signal, "signal.failed", { reasons: reasonsOf(signal) });
  }

  endDeletion(signal: SignalState): void {
    const { recovered } = this.#settle(signal);
    const data: EventData = recovered === null ? {} : { previous: recovered };
    this.#emitter.emit(signal, "signal.deleted", data);
  }

  #settle(signal: SignalState): { recovered: Previous | null; started: boolean } {
    for (const alert of this.#alerts) {
      this.#emitter.emit(signal, alert.state === "firing" ? "alert.firing" : "alert.resolved", { alert });
    }
    const wasFailed = this.#touched && this.#wasFailed;
    const nowFailed = isFailed(signal);
    const recovered: Previous | null =
      wasFailed && !nowFailed ? { status: "failed", reasons: this.#reasons } : null;
    const started = this.#touched && !wasFailed && nowFailed;
    if (this.#alerts.length > 0) this.#alerts = [];
    this.#touched = false;
    return { recovered, started };
  }
}
