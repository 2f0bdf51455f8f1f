import type { Change, SignalDefinition } from "../../../schemas/change.ts";
import type { RuleId } from "../../../schemas/common.ts";
import type { Rule } from "../../../schemas/rule.ts";
import type { Verdict } from "../../../schemas/signal.ts";
import { NO_DATA_STEP_MAX_MS } from "../evaluation/clocks.ts";
import { PartitionEvaluation } from "../evaluation/evaluation.ts";
import { PartitionState } from "../evaluation/partition-state.ts";
import { answerProbe } from "../evaluation/probe.ts";
import { newestValue } from "../evaluation/rule-values.ts";
import type { SignalState } from "../evaluation/signal-state.ts";
import type { EvaluationSink } from "../evaluation/sink.ts";
import { type AddressedEvent, changeRecord, type OutgoingRecord, tickRecord } from "../records.ts";

const NOWHERE = { logId: "00000000000000000000000000", partition: 0, partitions: 1 };
const NO_HEADERS = {};
const TICK = tickRecord(0);

/** When time alone would change something next, by append time; infinity where nothing waits. */
const nextDueMs = ({ clocks, ruleTimers, noDataTimers }: PartitionState): number => {
  const rule = ruleTimers.dueOf(ruleTimers.firstDue(Number.POSITIVE_INFINITY));
  const silence = noDataTimers.dueOf(noDataTimers.firstDue(Number.POSITIVE_INFINITY));
  return Math.min(rule, clocks.recordMs + silence - clocks.noDataMs);
};

/** What is told of a past signal. */
export interface PastSignalSink {
  event(event: AddressedEvent["event"]): void;
  /** A line that the evaluator does not take. */
  refused(): void;
}

/**
 * The evaluator itself over one signal's past, under some rules and nothing else: neither its own threshold nor its
 * silence fails it, and it is not paused. Every reading is a record of its own that was appended when it was taken, and
 * between two of them time passes as ticks would have told it, so that a wait ends at its very moment.
 */
export class PastSignal {
  readonly #state = new PartitionState(NOWHERE);
  readonly #evaluation = new PartitionEvaluation(NOWHERE, this.#state);
  readonly #sink: EvaluationSink;
  readonly #definition: SignalDefinition;
  #offset = 0;

  constructor(signal: SignalDefinition, rules: readonly Rule[], sink: PastSignalSink) {
    this.#definition = signal;
    this.#sink = {
      event: ({ event }) => sink.event(event),
      deadLetter: () => sink.refused(),
      probeAnswer: () => undefined,
      pendingAnswer: () => undefined,
    };
    const { accountId } = signal;
    // What fails the signal would only tell of every alert twice; and who hears of one that flaps is another matter.
    const plain = { failsSignal: false, flapDetection: false };
    for (const rule of rules)
      this.#change({ type: "rule", accountId, revision: 1, rule: { ...rule, ...plain } });
    const alone = { ...signal, threshold: 0, noDataAfterSeconds: null, paused: false };
    this.#change({ type: "signal", signal: alone });
  }

  /** What the evaluator knows of the signal. */
  get signal(): SignalState | null {
    return this.#state.signals.get(this.#definition.id);
  }

  /** What its first rule that is not idle looks at; null: all are. */
  get value(): number | null {
    const { signal } = this;
    const condition = signal?.conditions[0];
    if (signal === null || condition === undefined) return null;
    return newestValue(signal, condition, this.#state.clocks);
  }

  /** By which time waits are counted: that of the newest reading, or of what came of waiting since. */
  get nowMs(): number {
    return this.#state.clocks.recordMs;
  }

  /** What a reading of a strength would come to for one of the rules, with nothing changed; null: it does not look. */
  verdict(ruleId: RuleId, strength: number): Verdict["conditions"][number] | null {
    const { accountId, id: signalId } = this.#definition;
    const { verdict } = answerProbe(this.#state, { probeId: "", accountId, signalId, strength });
    return verdict.conditions.find((condition) => condition.ruleId === ruleId) ?? null;
  }

  /** A line of one reading, not older than the one before. */
  read(line: Uint8Array, atMs: number): void {
    this.passTo(atMs);
    this.#apply({ value: line }, atMs);
  }

  /** Time goes by without a reading: what was due before `ms` happens, each at its moment. */
  passTo(ms: number): void {
    for (let due = nextDueMs(this.#state); due < ms; due = nextDueMs(this.#state))
      this.#apply(TICK, Math.max(due, this.nowMs + 1));
  }

  #change(change: Change): void {
    this.#apply(changeRecord(change, 0), 0);
  }

  #apply({ headers = NO_HEADERS, value }: OutgoingRecord, appendedAt: number): void {
    this.#advance(appendedAt);
    const offset = this.#offset++;
    this.#evaluation.apply({ partition: 0, offset, appendedAt, key: null, headers, value }, this.#sink);
  }

  /** All the silence between two records counts, for here it is no downtime of ours: ticks would have come. */
  #advance(appendedAt: number): void {
    const { clocks } = this.#state;
    const unheardMs = appendedAt - clocks.recordMs - NO_DATA_STEP_MAX_MS;
    if (clocks.recordMs > 0 && unheardMs > 0) clocks.noDataMs += unheardMs;
  }
}
