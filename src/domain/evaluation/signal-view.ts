import type { Reason, Signal, SignalStatus } from "../../../schemas/signal.ts";
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

const ownReason = ({ sinceMs, value }: OwnCondition) => ({ since: iso(sinceMs), value });

/** Every condition that holds: the own threshold, the rules in their order, no data. */
export const reasonsOf = (signal: SignalState): Reason[] => {
  const reasons: Reason[] = [];
  const { belowThreshold, noData } = signal;
  if (belowThreshold !== null) reasons.push({ kind: "threshold", ...ownReason(belowThreshold) });
  for (const condition of signal.conditions.filter(failsByRule)) {
    const { rule, firedAtMs, value } = condition;
    reasons.push({ kind: "rule", ruleId: rule.rule.id, since: iso(firedAtMs), value });
  }
  if (noData !== null) reasons.push({ kind: "noData", ...ownReason(noData) });
  return reasons;
};

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
    reasons: reasonsOf(signal),
    sequence: signal.sequence,
    createdAt: iso(signal.createdAt),
    updatedAt: iso(signal.updatedAt),
  };
};
