import type { Alert } from "../../../schemas/alert.ts";
import type { AccountId, AlertId } from "../../../schemas/common.ts";
import { timeOfId } from "../../domain/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ControlStore } from "../../ports/control-store.ts";
import type { TimeSeries } from "../../ports/time-series.ts";
import type { Probes } from "../probes.ts";

/** An alert waits for a day at the most (`forSeconds`): an older id is of none that waits, and nobody need be asked. */
const WAITS_MAX_MS = 2 * 86_400_000;

interface Ends {
  readonly control: Pick<ControlStore, "alerts">;
  readonly timeSeries: Pick<TimeSeries, "alert">;
  readonly probes: Pick<Probes, "pending">;
  readonly clock: Pick<Clock, "now">;
}

/** Control data keep what fires and what has just resolved, and know who took it on; what is older is in the time series. */
export const toldAlert = async (
  { control, timeSeries }: Pick<Ends, "control" | "timeSeries">,
  accountId: AccountId,
  id: AlertId,
): Promise<Alert | null> => {
  const told = (await control.alerts.get(accountId, id)) ?? (await timeSeries.alert(accountId, id));
  return told?.alert ?? null;
};

/** One that has not fired yet, as its evaluator says; a `pipeline_unavailable` problem if an evaluator does not answer. */
export const pendingAlert = async (
  { probes, clock }: Pick<Ends, "probes" | "clock">,
  accountId: AccountId,
  id: AlertId,
): Promise<Alert | null> => {
  if (Math.abs(clock.now() - timeOfId(id)) > WAITS_MAX_MS) return null;
  const anyOf = { signalIds: null, ruleIds: null, severities: null };
  const { alerts } = await probes.pending({ accountId, ...anyOf, alertIds: [id] });
  return alerts.find((alert) => alert.id === id) ?? null;
};

/** Wherever it is in its life; told ones are asked again, as it may have fired while those that wait were. */
export const oneAlert = async (ends: Ends, accountId: AccountId, id: AlertId): Promise<Alert | null> =>
  (await toldAlert(ends, accountId, id)) ??
  (await pendingAlert(ends, accountId, id)) ??
  (await toldAlert(ends, accountId, id));
