import { Alerts } from "./alerts.ts";
import { PartitionClocks } from "./clocks.ts";
import { DirtySignals } from "./dirty-signals.ts";
import { DueHeap } from "./due-heap.ts";
import { Emitter } from "./emitter.ts";
import { NoData } from "./no-data.ts";
import { OwnThreshold } from "./own-threshold.ts";
import { Pace } from "./pace.ts";
import { RuleBook } from "./rule-book.ts";
import { RuleConditions } from "./rule-conditions.ts";
import { SignalRegistry } from "./signal-registry.ts";
import type { SignalState } from "./signal-state.ts";
import { SilenceBook } from "./silence-book.ts";
import { SourceFlows } from "./source-flows.ts";
import { Step } from "./step.ts";
import { Tombstones } from "./tombstones.ts";

/** Which partition of which log a state belongs to. */
export interface PartitionOfLog {
  readonly logId: string;
  readonly partition: number;
  /** How many partitions topic `readings` has. */
  readonly partitions: number;
}

/** Sees each signal before it changes: how a snapshot stays the state at its offset while the fold goes on. */
export interface ChangeObserver {
  beforeChange(signal: SignalState): void;
  created(signal: SignalState): void;
}

/** Everything that the past of a partition has left behind, and the machines that move it. */
export class PartitionState {
  readonly of: PartitionOfLog;
  nextOffset = 0;
  readonly clocks = new PartitionClocks();
  readonly signals = new SignalRegistry();
  readonly rules = new RuleBook();
  readonly deletedSignals = new Tombstones();
  readonly deletedRules = new Tombstones();
  readonly silences = new SilenceBook();
  readonly deletedSilences = new Tombstones();
  readonly flows = new SourceFlows();

  readonly pace = new Pace();
  readonly dirty = new DirtySignals(this.signals);
  readonly ruleTimers: DueHeap;
  readonly noDataTimers: DueHeap;
  readonly emitter: Emitter;
  readonly step: Step;
  readonly threshold: OwnThreshold;
  readonly alerts: Alerts;
  readonly ruleConditions: RuleConditions;
  readonly noData: NoData;
  observer: ChangeObserver | null = null;

  constructor(of: PartitionOfLog) {
    this.of = of;
    this.ruleTimers = this.heap();
    this.noDataTimers = this.heap();
    this.emitter = new Emitter(
      { logId: of.logId, partition: of.partition },
      this.clocks,
      this.dirty,
      this.pace,
    );
    this.step = new Step(this.emitter, this.silences);
    this.threshold = new OwnThreshold(this.clocks, this.step);
    this.alerts = new Alerts(this.clocks, this.emitter, this.step, this.silences);
    this.ruleConditions = new RuleConditions(this.clocks, this.alerts, this.step, this.ruleTimers);
    this.noData = new NoData(this.clocks, this.step, this.ruleConditions, this.noDataTimers);
  }

  /** A heap of slots in which those of one moment stand by the ids of their signals. */
  heap(): DueHeap {
    return new DueHeap((slot, other) => this.#idAt(slot) < this.#idAt(other));
  }

  /** To be called before a signal changes in any way but by `SignalRows.remember`. */
  beforeChange(signal: SignalState): void {
    signal.rouse();
    this.observer?.beforeChange(signal);
  }

  #idAt(slot: number): string {
    return this.signals.at(slot)?.id ?? "";
  }
}
