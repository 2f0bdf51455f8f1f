import type { SignalDefinition } from "../../../schemas/change.ts";
import type { AlertId } from "../../../schemas/common.ts";
import type { Reason, Signal, SignalStatus } from "../../../schemas/signal.ts";
import { qualityOf } from "../quality.ts";
import type { SourceFlow } from "./clocks.ts";
import type { CompiledRule } from "./rule-book.ts";

/** A time that is not set: Unix ms in the state are never negative. */
export const NEVER = -1;

/** A rule that is not idle on a signal; clearing is still firing, until `keepFiringForSeconds` are over. */
export interface RuleCondition {
  rule: CompiledRule;
  phase: "pending" | "firing" | "clearing";
  /** The reading that began a pending or clearing phase, by both clocks. */
  atMs: number;
  recordMs: number;
  /** Null while pending. */
  alertId: AlertId | null;
  firedAtMs: number;
  value: number;
  limit: number;
}

const NO_RULES: readonly CompiledRule[] = [];
const NO_CONDITIONS: readonly RuleCondition[] = [];

/** What evaluation knows of one signal. */
export class SignalState {
  readonly slot: number;
  definition: SignalDefinition;
  rules: readonly CompiledRule[] = NO_RULES;
  /** In rule order; replaced, not changed, when one starts or ends. */
  conditions: readonly RuleCondition[] = NO_CONDITIONS;
  /** Null until its source is paused for the first time. */
  flow: SourceFlow | null = null;
  sequence = 0;
  newestAtMs = NEVER;
  strength = Number.NaN;
  /** When the last reading came, by the no-data clock of its source. */
  lastDataMs = NEVER;
  thresholdSinceMs = NEVER;
  thresholdValue = Number.NaN;
  noDataSinceMs = NEVER;
  noDataValue = Number.NaN;
  /** Waits in the queue of live updates. */
  dirty = false;
  /** The run of the snapshot that has this signal already. */
  imagedBy = 0;

  constructor(slot: number, definition: SignalDefinition) {
    this.slot = slot;
    this.definition = definition;
  }

  get id(): string {
    return this.definition.id;
  }
}

export const iso = (timeMs: number): string => new Date(timeMs).toISOString();

const failsByRule = ({ phase, rule }: RuleCondition): boolean => phase !== "pending" && rule.rule.failsSignal;

export const isFailed = (signal: SignalState): boolean =>
  signal.thresholdSinceMs !== NEVER || signal.noDataSinceMs !== NEVER || signal.conditions.some(failsByRule);

export const statusOf = (signal: SignalState): SignalStatus => {
  if (signal.definition.paused) return "paused";
  return isFailed(signal) ? "failed" : "active";
};

/** Every condition that holds: the own threshold, the rules in their order, no data. */
export const reasonsOf = (signal: SignalState): Reason[] => {
  const reasons: Reason[] = [];
  if (signal.thresholdSinceMs !== NEVER) {
    reasons.push({ kind: "threshold", since: iso(signal.thresholdSinceMs), value: signal.thresholdValue });
  }
  for (const condition of signal.conditions.filter(failsByRule)) {
    const { rule, firedAtMs, value } = condition;
    reasons.push({ kind: "rule", ruleId: rule.rule.id, since: iso(firedAtMs), value });
  }
  if (signal.noDataSinceMs !== NEVER) {
    reasons.push({ kind: "noData", since: iso(signal.noDataSinceMs), value: signal.noDataValue });
  }
  return reasons;
};

/** The signal as the API shows it. */
export const signalView = (signal: SignalState): Signal => {
  const { accountId: _, revision: __, paused: ___, createdAt, updatedAt, ...shown } = signal.definition;
  const seen = signal.newestAtMs !== NEVER;
  return {
    ...shown,
    status: statusOf(signal),
    strength: seen ? signal.strength : null,
    quality: seen ? qualityOf(signal.strength, shown.floorDbm, shown.ceilingDbm) : null,
    lastReadingAt: seen ? iso(signal.newestAtMs) : null,
    reasons: reasonsOf(signal),
    sequence: signal.sequence,
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
  };
};
