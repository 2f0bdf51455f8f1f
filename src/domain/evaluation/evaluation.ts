import type { LiveUpdate } from "../live.ts";
import { isBlock, type LogRecord, RECORD_KIND, UNREADABLE } from "../log-record.ts";
import { pendingAlerts } from "../pending-alerts.ts";
import { readChange, readPendingQuestion, readProbe } from "../records.ts";
import { applyChange } from "./changes.ts";
import type { Slices } from "./pace.ts";
import { type PartitionOfLog, PartitionState } from "./partition-state.ts";
import { answerProbe } from "./probe.ts";
import { type ReadingCounts, Readings } from "./readings.ts";
import { passSilences } from "./silence-changes.ts";
import type { EvaluationSink } from "./sink.ts";
import { SnapshotRun } from "./snapshot-run.ts";
import { fireTimers } from "./timers.ts";

/**
 * The pure fold of one partition: each record moves the state and tells the sink what came of it. No clock, no chance,
 * no I/O: the same records give the same events with the same ids, however they were batched, and whether folding
 * began at the first record or at a snapshot.
 */
export class PartitionEvaluation {
  readonly #state: PartitionState;
  readonly #readings: Readings;
  #isHalfApplied = false;

  constructor(of: PartitionOfLog, state = new PartitionState(of)) {
    this.#state = state;
    this.#readings = new Readings(state);
  }

  /** The offset of the record that comes next; earlier ones are ignored. */
  get nextOffset(): number {
    return this.#state.nextOffset;
  }

  /** Append time of the newest record, Unix ms: nothing is earlier for the fold. 0 before the first one. */
  get recordMs(): number {
    return this.#state.clocks.recordMs;
  }

  get signals(): number {
    return this.#state.signals.size;
  }

  /** Whether time alone could change something: then the partition needs ticks. */
  get timePending(): boolean {
    const { ruleTimers, noDataTimers, step, silences } = this.#state;
    const endsSilence = step.held.size > 0 && silences.nextChangeMs !== Number.POSITIVE_INFINITY;
    return ruleTimers.size > 0 || noDataTimers.size > 0 || endsSilence;
  }

  get counts(): Readonly<ReadingCounts> {
    return this.#readings.counts;
  }

  /** Signals that wait for `takeLive`. */
  get livePending(): number {
    return this.#state.dirty.size;
  }

  /** The newest values of up to `limit` signals that changed since they were last taken; none within a record. */
  takeLive(limit: number): LiveUpdate[] {
    return this.#isHalfApplied ? [] : this.#state.dirty.take(limit);
  }

  /** Begins a snapshot of the state as it is now; take its slices while folding goes on. One at a time. */
  snapshot(): SnapshotRun {
    this.#demandWhole();
    return new SnapshotRun(this.#state);
  }

  /** `sink` null folds silently: the state moves, nobody is told. Never throws for what a record holds. */
  apply(record: LogRecord, sink: EvaluationSink | null): void {
    for (const _ of this.slices(record, sink));
  }

  /**
   * As `apply`, in slices of about 5 ms, for one record may concern every signal. Between its slices the record is half
   * applied: nothing else is, and nobody sees the state, until the last slice is taken. If it never is, the state is of
   * no use any more.
   */
  *slices(record: LogRecord, sink: EvaluationSink | null): Slices {
    this.#demandWhole();
    if (record.offset < this.#state.nextOffset) return;
    this.#isHalfApplied = true;
    this.#state.nextOffset = record.offset + 1;
    this.#state.clocks.advance(record.appendedAt);
    this.#state.emitter.beginRecord(record.offset, sink);
    for (const _ of this.#applied(record, sink)) {
      yield;
      this.#state.pace.begin();
    }
    this.#isHalfApplied = false;
  }

  *#applied(record: LogRecord, sink: EvaluationSink | null): Slices {
    yield* passSilences(this.#state);
    yield* fireTimers(this.#state);
    if (isBlock(record)) yield* this.#readings.block(record, sink);
    else yield* this.#appliedKind(record, sink);
  }

  *#appliedKind(record: LogRecord, sink: EvaluationSink | null): Slices {
    switch (record.headers[RECORD_KIND]) {
      case "change":
        yield* this.#change(record, sink);
        return;
      case "tick":
        return;
      case "probe":
        this.#probe(record, sink);
        return;
      case "pending":
        yield* this.#pending(record, sink);
        return;
      case UNREADABLE:
        sink?.deadLetter("record_unreadable", record.offset, null, record.value);
        return;
      default:
        sink?.deadLetter("unknown_kind", record.offset, null, record.value);
    }
  }

  *#change(record: LogRecord, sink: EvaluationSink | null): Slices {
    const change = readOrNull(readChange, record);
    if (change === null) sink?.deadLetter("record_unreadable", record.offset, null, record.value);
    else if (!(yield* applyChange(this.#state, change))) {
      sink?.deadLetter("wrong_partition", record.offset, null, record.value);
    }
  }

  #probe(record: LogRecord, sink: EvaluationSink | null): void {
    if (sink === null) return;
    const probe = readOrNull(readProbe, record);
    if (probe === null) sink.deadLetter("record_unreadable", record.offset, null, record.value);
    else sink.probeAnswer(probe.probeId, answerProbe(this.#state, probe));
  }

  *#pending(record: LogRecord, sink: EvaluationSink | null): Slices {
    if (sink === null) return;
    const question = readOrNull(readPendingQuestion, record);
    if (question === null) sink.deadLetter("record_unreadable", record.offset, null, record.value);
    else sink.pendingAnswer(question.questionId, yield* pendingAlerts(this.#state, question));
  }

  #demandWhole(): void {
    if (this.#isHalfApplied) throw new Error("a record is half applied");
  }
}

/** Anybody can write into the log: what cannot be read is null, not an exception. */
const readOrNull = <T>(read: (record: LogRecord) => T, record: LogRecord): T | null => {
  try {
    return read(record);
  } catch {
    return null;
  }
};
