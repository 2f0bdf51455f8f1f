import type { LogRecord } from "../log-record.ts";
import { partitionOf } from "../partition.ts";
import { qualityOf } from "../quality.ts";
import {
  BlockScan,
  type LineProblem,
  type LineView,
  type LineVisitor,
  SIGNAL_ID_LENGTH,
  scanBlock,
} from "../reading-line.ts";
import { COSTS, type Slices } from "./pace.ts";
import type { PartitionState } from "./partition-state.ts";
import type { SignalState } from "./signal-state.ts";
import type { DeadLetterProblem, EvaluationSink } from "./sink.ts";

/** What blocks held, since the process started: for metrics, not part of the state. */
export interface ReadingCounts {
  /** Valid lines of known signals. */
  readings: number;
  /** Of these, older than their signal's newest, and so not evaluated. */
  late: number;
}

const NO_BYTES = new DataView(new ArrayBuffer(0));
const decoder = new TextDecoder();

/** Evaluates the lines of blocks, one after the other. */
export class Readings implements LineVisitor {
  readonly counts: ReadingCounts = { readings: 0, late: 0 };
  readonly #state: PartitionState;
  #sink: EvaluationSink | null = null;
  #offset = 0;
  #bytes: DataView = NO_BYTES;
  #scan = new BlockScan();

  constructor(state: PartitionState) {
    this.#state = state;
  }

  *block(record: LogRecord, sink: EvaluationSink | null): Slices {
    const { value } = record;
    this.#scan = new BlockScan();
    this.#sink = sink;
    this.#offset = record.offset;
    this.#bytes = new DataView(value.buffer, value.byteOffset, value.byteLength);
    scanBlock(value, record.appendedAt, this, this.#scan);
    while (this.#scan.rests) {
      yield;
      this.#scan.rests = false;
      scanBlock(value, record.appendedAt, this, this.#scan);
    }
    this.#bytes = NO_BYTES;
  }

  line(block: Uint8Array, view: LineView): void {
    const { signals, clocks, dirty, observer } = this.#state;
    const slot = signals.slotAt(this.#bytes, view.start);
    const quiet = observer === null && slot >= 0;
    if (quiet && signals.rows.remember(slot, view.atMs, view.strength, clocks.noDataMs)) {
      this.counts.readings++;
      dirty.add(slot);
      return;
    }
    const signal = signals.at(slot);
    if (signal === null) {
      this.#unknown(block, view);
      return;
    }
    this.counts.readings++;
    this.#state.beforeChange(signal);
    this.#state.emitter.beginLine(view.index);
    if (signal.settings.paused) this.#keep(signal, view);
    else this.#evaluate(signal, view);
    this.#scan.rests = this.#state.pace.isOver;
  }

  invalid(block: Uint8Array, start: number, end: number, index: number, problem: LineProblem): void {
    if (this.#sink === null) return;
    this.#sink.deadLetter(problem, this.#offset, index, block.subarray(start, end));
    this.#spendDeadLine();
  }

  #keep(signal: SignalState, view: LineView): void {
    if (view.atMs < signal.newestAtMs) {
      this.counts.late++;
      return;
    }
    signal.newestAtMs = view.atMs;
    signal.strength = view.strength;
    this.#state.dirty.add(signal.slot);
  }

  /** Time passes first, then the value is compared: each is a step of its own, as it would have been live. */
  #evaluate(signal: SignalState, view: LineView): void {
    const { step, noData, threshold, ruleConditions } = this.#state;
    if (view.atMs < signal.newestAtMs) {
      this.counts.late++;
      noData.heard(signal, true);
      step.end(signal);
      return;
    }
    if (signal.waits) {
      ruleConditions.passTime(signal, view.atMs);
      step.end(signal);
    }
    this.#keep(signal, view);
    noData.heard(signal, false);
    const { floorDbm, ceilingDbm } = signal.settings;
    const strength = Math.fround(view.strength);
    const quality = Math.fround(qualityOf(strength, floorDbm, ceilingDbm));
    threshold.compare(signal, quality);
    if (signal.rules.length > 0) ruleConditions.compare(signal, strength, quality);
    step.end(signal);
    signal.settle();
  }

  #unknown(block: Uint8Array, view: LineView): void {
    if (this.#sink === null) return;
    const id = decoder.decode(block.subarray(view.start, view.start + SIGNAL_ID_LENGTH));
    this.#sink.deadLetter(
      this.#problemOf(id),
      this.#offset,
      view.index,
      block.subarray(view.start, view.end),
    );
    this.#spendDeadLine();
  }

  #spendDeadLine(): void {
    this.#state.pace.spend(COSTS.deadLine);
    this.#scan.rests = this.#state.pace.isOver;
  }

  #problemOf(id: string): DeadLetterProblem {
    const { of, deletedSignals, clocks } = this.#state;
    if (partitionOf(id, of.partitions) !== of.partition) return "wrong_partition";
    return deletedSignals.has(id, clocks.recordMs) ? "deleted_signal" : "unknown_signal";
  }
}
