import type { Rule } from "../../../schemas/rule.ts";
import { tellUnheld } from "./alerts.ts";
import { applyAcknowledgement, applyChange } from "./changes.ts";
import { compareReading, noteLife, passTime } from "./conditions.ts";
import type { Input, InputReading } from "./input.ts";
import { Silences } from "./silences.ts";
import { byId, type SignalState } from "./state.ts";
import { Step } from "./step.ts";
import type { ToldEvent } from "./told.ts";

/** The no-data clock moves by so much at most between two records. */
const NO_DATA_STRIDE_MS = 5_000;

/**
 * The reference of how alerts are evaluated: one account's records of one partition, in their order. Simple and slow:
 * it looks at every signal and every rule at every record, keeps all it has seen, and knows no timers.
 */
export class ReferenceAccount {
  readonly events: ToldEvent[] = [];
  readonly silences = new Silences();
  readonly #signals = new Map<string, SignalState>();
  readonly rules = new Map<string, { readonly revision: number; readonly rule: Rule | null }>();
  readonly deletedSignals = new Set<string>();
  readonly pausedSources = new Set<string>();
  recordMs = 0;

  /** In the order of their ids. */
  get signals(): readonly SignalState[] {
    return byId(this.#signals);
  }

  signal(id: string): SignalState | undefined {
    return this.#signals.get(id);
  }

  addSignal(signal: SignalState): void {
    this.#signals.set(signal.definition.id, signal);
  }

  removeSignal(id: string): void {
    this.#signals.delete(id);
    this.deletedSignals.add(id);
  }

  apply(input: Input): void {
    this.#advance(input.appendedAt);
    for (const signal of this.signals) this.step(signal, (step) => this.tellUnheld(step));
    for (const signal of this.signals) this.#passTime(signal, signal.newest?.at ?? 0);
    if (input.kind === "readings") for (const reading of input.readings) this.#read(reading);
    if (input.kind === "change") applyChange(this, input.change);
    if (input.kind === "acknowledged") applyAcknowledgement(this, input.acknowledged);
  }

  /** What a step of a signal tells, told. */
  step(signal: SignalState, does: (step: Step) => void): void {
    if (signal.definition.paused) return;
    const step = this.newStep(signal);
    does(step);
    this.events.push(...step.end());
  }

  newStep(signal: SignalState): Step {
    return new Step(signal, this.recordMs, this.silences);
  }

  tellUnheld(step: Step): void {
    for (const watch of byId(step.signal.watches)) tellUnheld(step, watch);
  }

  #advance(appendedAt: number): void {
    const next = Math.max(this.recordMs, appendedAt);
    const strideMs = Math.min(NO_DATA_STRIDE_MS, next - this.recordMs);
    this.recordMs = next;
    for (const signal of this.signals) {
      if (!this.#isHeldBack(signal)) signal.silenceMs += strideMs;
    }
  }

  /** Whether ingest has paused its source. */
  #isHeldBack({ definition: { sourceId } }: SignalState): boolean {
    return sourceId !== null && this.pausedSources.has(sourceId);
  }

  #passTime(signal: SignalState, at: number): void {
    const now = { at, record: this.recordMs };
    this.step(signal, (step) => passTime(step, now, this.#isHeldBack(signal)));
  }

  #read([signalId, at, strength]: InputReading): void {
    const signal = this.signal(signalId);
    if (signal === undefined) return;
    const newestAt = signal.newest?.at ?? at;
    if (at < newestAt) this.#readLate(signal, newestAt);
    else {
      const now = { at, record: this.recordMs };
      this.#passTime(signal, at);
      const isPaused = signal.definition.paused;
      signal.newest = { at, strength };
      if (isPaused) signal.silenceMs = 0;
      this.step(signal, (step) => compareReading(step, now));
    }
  }

  #readLate(signal: SignalState, newestAt: number): void {
    this.step(signal, (step) => noteLife(step, { at: newestAt, record: this.recordMs }));
    signal.silenceMs = 0;
  }
}

/** All that the records tell, in order. */
export const referenceEvents = (inputs: readonly Input[]): ToldEvent[] => {
  const account = new ReferenceAccount();
  for (const input of inputs) account.apply(input);
  return account.events;
};
