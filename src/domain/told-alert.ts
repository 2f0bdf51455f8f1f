import type { Alert, AlertData } from "../../schemas/alert.ts";
import type { AccountId, SignalId } from "../../schemas/common.ts";
import type { EventData } from "../../schemas/event.ts";
import type { AddressedEvent } from "./records.ts";

/** An alert as events have told of it; `sequence`: of its signal's newest event about it. */
export interface ToldAlert {
  readonly accountId: AccountId;
  readonly sequence: number;
  readonly alert: Alert;
}

/** An alert as an event's data have it, by itself. */
export const alertFrom = (
  signalId: SignalId,
  data: AlertData,
  { silencedBy, heldBy }: Pick<EventData, "silencedBy" | "heldBy">,
): Alert => ({
  id: data.id,
  ruleId: data.ruleId,
  ruleName: data.ruleName,
  signalId,
  severity: data.severity,
  state: data.state,
  pendingSince: null,
  firedAt: data.firedAt,
  resolvedAt: data.resolvedAt,
  resolveReason: data.resolveReason ?? null,
  value: data.value,
  limit: data.limit,
  acknowledged: data.acknowledged ?? null,
  silencedBy: silencedBy ?? null,
  heldBy: heldBy ?? null,
});

/** What an event tells of an alert; null for one that tells of none. */
export const toldAlert = ({ accountId, signalId, event }: AddressedEvent): ToldAlert | null => {
  const { sequence, data } = event;
  if (signalId === null || sequence === null || data.alert === undefined) return null;
  return { accountId, sequence, alert: alertFrom(signalId, data.alert, data) };
};
