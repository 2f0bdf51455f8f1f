import type { PartitionClocks } from "./clocks.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import type { DueHeap } from "./due-heap.ts";
import { FeedRhythm } from "./feed-rhythm.ts";
import type { RuleCondition } from "./ongoing.ts";
import type { RuleConditions } from "./rule-conditions.ts";
import { NEVER, type SignalState } from "./signal-state.ts";
import { sourceMs } from "./source-flows.ts";
import type { Step } from "./step.ts";

/** The silence that is too long for the signal itself, ms; null: none is. */
export const tooLongMs = ({ settings, rhythm }: SignalState): number | null => {
  const { noDataAfterSeconds } = settings;
  if (noDataAfterSeconds === "auto") return (rhythm ?? UNLEARNED).learnedMs;
  return noDataAfterSeconds === null ? null : noDataAfterSeconds * 1000;
};
const UNLEARNED = new FeedRhythm();

const isArmed = ({ settings, lastDataMs }: SignalState): boolean => !settings.paused && lastDataMs !== NEVER;

/** When the silence of a signal is too long, by the partition's no-data clock, if its source runs on; null: not armed. */
const ownDeadlineMs = (signal: SignalState): number | null => {
  const { lastDataMs, noData, flow } = signal;
  const afterMs = tooLongMs(signal);
  if (!isArmed(signal) || afterMs === null || noData !== null) return null;
  return lastDataMs + afterMs + (flow?.standstillMs ?? 0);
};

/** As for the signal itself, for a rule on no data. */
const ruleDeadlineMs = (signal: SignalState, rule: CompiledRule): number | null => {
  if (rule.silenceMs === null || !isArmed(signal) || waitsForReading(signal, rule)) return null;
  return signal.lastDataMs + rule.silenceMs + (signal.flow?.standstillMs ?? 0);
};

/** Whether the rule knows already that the signal is silent. */
const waitsForReading = (signal: SignalState, { key }: CompiledRule): boolean =>
  signal.conditions.some(({ rule, levels }) => rule.key === key && levels[0]?.phase !== "clearing");

const isOfSilence = ({ rule }: RuleCondition): boolean => rule.silenceMs !== null;

const deadlineMs = (signal: SignalState): number | null => {
  let earliest = ownDeadlineMs(signal);
  for (const rule of signal.rules) {
    const deadline = rule.silenceMs === null ? null : ruleDeadlineMs(signal, rule);
    if (deadline !== null && (earliest === null || deadline < earliest)) earliest = deadline;
  }
  return earliest;
};

/**
 * The condition of no data: the signal's own, and those of rules. A reading only moves `lastDataMs`: what stands in the
 * heap may be too early, and is looked at again when it is its turn, so that a reading costs the same however many
 * signals wait.
 */
export class NoData {
  readonly #clocks: PartitionClocks;
  readonly #step: Step;
  readonly #rules: RuleConditions;
  readonly #timers: DueHeap;

  constructor(clocks: PartitionClocks, step: Step, rules: RuleConditions, timers: DueHeap) {
    this.#clocks = clocks;
    this.#step = step;
    this.#rules = rules;
    this.#timers = timers;
  }

  /** A reading came, early or late: the signal is not silent. */
  heard(signal: SignalState, isLate: boolean): void {
    // Whoever has noticed the silence waits for another deadline by now, later than that of the next silence.
    const wasNoticed = signal.noData !== null || signal.conditions.some(isOfSilence);
    if (signal.conditions.length > 0) this.#rules.heard(signal, isLate);
    if (signal.settings.noDataAfterSeconds === "auto") this.#learn(signal);
    signal.lastDataMs = sourceMs(this.#clocks, signal.flow);
    if (signal.noData !== null) this.end(signal);
    if (wasNoticed || !this.#timers.has(signal.slot)) this.arm(signal);
  }

  /** Puts the signal's deadline into the heap as it is now, or takes it out. */
  arm(signal: SignalState): void {
    const deadline = deadlineMs(signal);
    if (deadline === null) this.#timers.remove(signal.slot);
    else this.#timers.set(signal.slot, deadline);
  }

  disarm(signal: SignalState): void {
    this.end(signal);
    signal.lastDataMs = NEVER;
    this.#timers.remove(signal.slot);
  }

  /** After a change of the interval: silence counts from the last reading as before. */
  rearm(signal: SignalState): void {
    if (signal.settings.noDataAfterSeconds !== "auto") signal.change({ rhythm: null });
    if (signal.noData !== null && !this.#isSilent(signal)) this.end(signal);
    this.arm(signal);
  }

  /** Looks again at a signal whose turn it is. True: it has been silent for too long, and now the condition holds. */
  isDue(signal: SignalState): boolean {
    const deadline = deadlineMs(signal);
    if (deadline !== null && signal.flow !== null && signal.flow.pausedAtMs !== null) {
      signal.flow.park(signal.slot);
      this.#timers.remove(signal.slot);
      return false;
    }
    // Only a deadline that stood there exactly is taken: so the order does not depend on how often it was moved.
    if (deadline === null || deadline !== this.#timers.dueOf(signal.slot)) {
      this.arm(signal);
      return false;
    }
    return true;
  }

  /** What is due holds from now on. */
  start(signal: SignalState): void {
    const { noDataMs, recordMs } = this.#clocks;
    const own = ownDeadlineMs(signal);
    if (own !== null && own <= noDataMs) {
      this.#step.touch(signal);
      signal.change({ noData: { sinceMs: recordMs, value: this.#silenceMs(signal) / 1000 } });
    }
    for (const rule of signal.rules) {
      const deadline = ruleDeadlineMs(signal, rule);
      if (deadline !== null && deadline <= noDataMs) this.#rules.silent(signal, rule);
    }
    this.arm(signal);
  }

  end(signal: SignalState): void {
    if (signal.noData === null) return;
    this.#step.touch(signal);
    signal.change({ noData: null });
  }

  /** The signal's source runs again. */
  unpark(signal: SignalState): void {
    if (!this.#timers.has(signal.slot)) this.arm(signal);
  }

  #silenceMs(signal: SignalState): number {
    return sourceMs(this.#clocks, signal.flow) - signal.lastDataMs;
  }

  #isSilent(signal: SignalState): boolean {
    const afterMs = tooLongMs(signal);
    return afterMs !== null && this.#silenceMs(signal) >= afterMs;
  }

  /** A gap is over. What stands in the heap may be too late once a shorter silence is too long. */
  #learn(signal: SignalState): void {
    if (signal.lastDataMs === NEVER) return;
    const rhythm = signal.rhythm ?? new FeedRhythm();
    if (signal.rhythm === null) signal.change({ rhythm });
    if (rhythm.add(this.#silenceMs(signal))) this.#timers.remove(signal.slot);
  }
}
