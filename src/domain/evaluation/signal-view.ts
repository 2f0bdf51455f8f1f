import { type Reason, SIGNAL_REASONS_MAX, type Signal, type SignalStatus } from "../../../schemas/signal.ts";
import { shownQuality } from "../quality.ts";
import { iso } from "./iso.ts";
import type { OwnCondition, RuleCondition } from "./ongoing.ts";
import { NEVER, type SignalState } from "./signal-state.ts";

export const failsByRule = ({ level, rule }: RuleCondition): boolean => level >= 0 && rule.rule.failsSignal;

export const isFailed = (signal: SignalState): boolean =>
  signal.belowThreshold !== null || signal.noData !== null || signal.conditions.some(failsByRule);

export const statusOf = (signal: SignalState): SignalStatus => {
  if (signal.settings.paused) return "paused";
  return isFailed(signal) ? "failed" : "active";
};

const ownReasons = (kind: "threshold" | "noData", own: OwnCondition | null): Reason[] =>
  own === null ? [] : [{ kind, since: iso(own.sinceMs), value: own.value }];

type Reasons = Pick<Signal, "reasons" | "reasonsTotal">;

/**
 * Every condition that holds: the own threshold, the rules in their order, no data. Of too many, the last rules are
 * left out, and all are counted.
 */
export const reasonsOf = (signal: SignalState): Reasons => {
  const failing = signal.conditions.filter(failsByRule);
  const first = ownReasons("threshold", signal.belowThreshold);
  const last = ownReasons("noData", signal.noData);
  const own = first.length + last.length;
  const total = failing.length + own;
  const rules = failing.slice(0, SIGNAL_REASONS_MAX - own).map(reasonOf);
  return {
    reasons: [...first, ...rules, ...last],
    ...(total > SIGNAL_REASONS_MAX ? { reasonsTotal: total } : {}),
  };
};

const reasonOf = ({ rule, firedAtMs, value }: RuleCondition): Reason => ({
  kind: "rule",
  ruleId: rule.rule.id,
  since: iso(firedAtMs),
  value,
});

/** The signal as the API shows it; fields in one order, so that an event's bytes do not depend on a restart. */
export const signalView = (signal: SignalState): Signal => {
  const { settings } = signal;
  const seen = signal.newestAtMs !== NEVER;
  return {
    id: signal.id,
    name: signal.name,
    externalId: signal.externalId,
    labels: signal.labels,
    threshold: settings.threshold,
    floorDbm: settings.floorDbm,
    ceilingDbm: settings.ceilingDbm,
    hysteresis: settings.hysteresis,
    noDataAfterSeconds: settings.noDataAfterSeconds,
    sourceId: settings.sourceId,
    status: statusOf(signal),
    strength: seen ? signal.strength : null,
    quality: seen ? shownQuality(signal.strength, settings.floorDbm, settings.ceilingDbm) : null,
    lastReadingAt: seen ? iso(signal.newestAtMs) : null,
    ...reasonsOf(signal),
    sequence: signal.sequence,
    createdAt: iso(signal.createdAt),
    updatedAt: iso(signal.updatedAt),
  };
};
