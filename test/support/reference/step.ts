import type { SignalEventKind } from "../../../schemas/event.ts";
import type { Signal } from "../../../schemas/signal.ts";
import type { Silences } from "./silences.ts";
import type { SignalState } from "./state.ts";
import { iso, type Marks, type ToldData, type ToldEvent } from "./told.ts";
import { reasonsOf, shownReasons, shownSignal, statusOf } from "./values.ts";

const isHeld = (marks: Marks): boolean => Object.values(marks).some((mark) => mark !== undefined);

/** Marks as a telling keeps them. */
export const heldBy = (marks: Marks): Marks | null => (isHeld(marks) ? marks : null);

/**
 * One passing of time of a signal, or one comparison of a reading, or one change: what it tells of alerts, then what it
 * did to the signal. Every event shows the signal as it is when the step is over.
 */
export class Step {
  readonly #told: Omit<ToldEvent, "createdAt" | "signalId">[] = [];
  readonly #before: Pick<Signal, "status" | "reasons" | "reasonsTotal">;
  readonly signal: SignalState;
  readonly recordMs: number;
  readonly silences: Silences;

  constructor(signal: SignalState, recordMs: number, silences: Silences) {
    this.signal = signal;
    this.recordMs = recordMs;
    this.silences = silences;
    this.#before = { status: statusOf(signal), ...shownReasons(signal) };
  }

  /** Its sequence. */
  tell(event: SignalEventKind, data: Omit<ToldData, "signal"> = {}): number {
    const sequence = ++this.signal.sequence;
    this.#told.push({ event, sequence, data });
    return sequence;
  }

  /** What the step has told, whole. `changed`: the old values of the settings that the step has changed. */
  end(changed: Partial<Signal> = {}): ToldEvent[] {
    this.#tellUpdate(changed);
    if (statusOf(this.signal) === "failed") this.#tellFailure();
    else this.signal.failure = null;
    return this.#whole();
  }

  /** As `end`, of a signal that is no more. */
  endDeleted(): ToldEvent[] {
    const previous = this.#before.status === "failed" ? { previous: this.#before } : {};
    this.tell("signal.deleted", previous);
    return this.#whole();
  }

  #tellUpdate(changed: Partial<Signal>): void {
    const { status, ...reasons } = this.#before;
    const { failure } = this.signal;
    const isNow = statusOf(this.signal);
    const hasChanged = Object.keys(changed).length > 0;
    if (hasChanged || (isNow !== status && (isNow === "paused" || status === "paused"))) {
      const old = isNow === status || isNow === "failed" ? {} : { status };
      this.tell("signal.updated", {
        previous: { ...changed, ...old, ...("status" in old && status === "failed" ? reasons : {}) },
      });
    } else if (status === "failed" && isNow === "active") {
      const marks = failure?.heldBy === null ? {} : (this.#holdOfSignal() ?? failure?.heldBy ?? {});
      this.tell("signal.updated", { previous: this.#before, ...marks });
    }
  }

  /** That it has failed; or that it still is, once nothing holds that back any more. */
  #tellFailure(): void {
    const { failure } = this.signal;
    const marks = this.#holdOfFailure() ?? {};
    if (failure !== null && (failure.heldBy === null || isHeld(marks))) return;
    const repeatOf = failure === null ? {} : { repeatOf: failure.sequence };
    const { reasons } = shownReasons(this.signal);
    const sequence = this.tell("signal.failed", { reasons, ...repeatOf, ...marks });
    this.signal.failure = { sequence, heldBy: heldBy(marks) };
  }

  #holdOfSignal(): Marks | null {
    return heldBy({ silencedBy: this.silences.ofSignal(this.signal, this.recordMs) });
  }

  /** A silence of the signal; else the alerts, when there is no other reason and all of them are held. */
  #holdOfFailure(): Marks | null {
    const bySilence = this.#holdOfSignal();
    if (bySilence !== null) return bySilence;
    const holds = reasonsOf(this.signal).map(({ ruleId }) =>
      ruleId === undefined ? null : (this.signal.watches.get(ruleId)?.alert?.newest?.heldBy ?? null),
    );
    return holds.includes(null) ? null : (holds[0] ?? null);
  }

  #whole(): ToldEvent[] {
    const { definition } = this.signal;
    return this.#told.map(({ event, sequence, data }) => ({
      event,
      signalId: definition.id,
      sequence,
      createdAt: iso(this.recordMs),
      data: { signal: { ...shownSignal(this.signal), sequence }, ...data },
    }));
  }
}
