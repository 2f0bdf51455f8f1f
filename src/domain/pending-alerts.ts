import { type Alert, PENDING_ALERTS_MAX } from "../../schemas/alert.ts";
import type { PendingAnswer, PendingQuestion } from "../../schemas/change.ts";
import type { PartitionClocks } from "./evaluation/clocks.ts";
import { iso } from "./evaluation/iso.ts";
import type { RuleCondition } from "./evaluation/ongoing.ts";
import { COSTS, type Slices } from "./evaluation/pace.ts";
import type { PartitionState } from "./evaluation/partition-state.ts";
import { newestValue } from "./evaluation/rule-values.ts";
import type { SignalState } from "./evaluation/signal-state.ts";

const isPending = ({ phase }: { readonly phase: string }): boolean => phase === "pending";

/** The alert that may come of what waits; null where nothing does, or the alert fires. Silence has its own wait. */
const pendingAlert = (
  signal: SignalState,
  condition: RuleCondition,
  clocks: PartitionClocks,
): Alert | null => {
  const { rule, levels, alertId, level, acknowledged, silencedBy } = condition;
  const hardest = levels.findLastIndex(isPending);
  const found = rule.levels[hardest];
  if (level >= 0 || found === undefined || alertId === null || rule.silenceMs !== null) return null;
  const value = newestValue(signal, condition, clocks);
  const isUpper = Math.fround(value) > found.limits.fireHigh;
  return {
    id: alertId,
    ruleId: rule.rule.id,
    ruleName: rule.rule.name,
    signalId: signal.id,
    severity: found.severity,
    state: "pending",
    pendingSince: iso(Math.min(...levels.filter(isPending).map(({ recordMs }) => recordMs))),
    firedAt: null,
    resolvedAt: null,
    resolveReason: null,
    value: Number.isFinite(value) ? value : null,
    limit: isUpper ? found.upper : found.value,
    acknowledged,
    silencedBy: silencedBy[0] ?? null,
    heldBy: null,
  };
};

const newestFirst = (a: Alert, b: Alert): number => (a.id < b.id ? 1 : -1);

/** Which alerts of the account wait in a partition, the newest of them. Changes nothing. */
export function* pendingAlerts(
  state: PartitionState,
  { accountId, signalIds, ruleIds, severities, alertIds }: PendingQuestion,
): Slices<PendingAnswer> {
  const [ofSignals, ofRules] = [signalIds && new Set(signalIds), ruleIds && new Set(ruleIds)];
  let alerts: Alert[] = [];
  let truncated = false;
  const cut = () => {
    truncated ||= alerts.length > PENDING_ALERTS_MAX;
    alerts = alerts.sort(newestFirst).slice(0, PENDING_ALERTS_MAX);
  };
  for (const signal of state.signals.all()) {
    state.pace.spend(COSTS.look);
    if (state.pace.isOver) yield;
    const { id, accountId: owner } = signal;
    if (owner !== accountId || ofSignals?.has(id) === false) continue;
    for (const condition of signal.conditions) {
      if (ofRules?.has(condition.rule.rule.id) === false) continue;
      if (condition.alertId !== null && alertIds?.includes(condition.alertId) === false) continue;
      const alert = pendingAlert(signal, condition, state.clocks);
      if (alert !== null && severities?.includes(alert.severity) !== false) alerts.push(alert);
    }
    if (alerts.length > 2 * PENDING_ALERTS_MAX) cut();
  }
  cut();
  return { alerts, truncated };
}
