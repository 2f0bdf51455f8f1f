import { z } from "zod";
import type { Alert, AlertState, AlertsQuery } from "../../../schemas/alert.ts";
import { type AccountId, AlertId } from "../../../schemas/common.ts";
import { decodeCursor, encodeCursor } from "../../domain/cursor.ts";
import type { ToldAlert } from "../../domain/told-alert.ts";
import type { AlertsQuery as Asked } from "../../ports/alerts.ts";
import type { ControlStore } from "../../ports/control-store.ts";
import type { TimeSeries } from "../../ports/time-series.ts";
import type { Probes } from "../probes.ts";
import { validationFailed } from "../problem.ts";

const Place = z.strictObject({ before: AlertId });
const USUAL: readonly AlertState[] = ["firing", "resolved"];

interface Ends {
  readonly control: Pick<ControlStore, "alerts">;
  readonly timeSeries: Pick<TimeSeries, "resolvedAlerts">;
  readonly probes: Pick<Probes, "pending">;
}

const instant = (at: string | undefined): number | undefined =>
  at === undefined ? undefined : Date.parse(at);

const askedOf = (accountId: AccountId, query: AlertsQuery): Asked => {
  const [fromMs, toMs] = [instant(query.from), instant(query.to)];
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
    throw validationFailed([{ path: "from", message: "must be before to" }]);
  const { cursor, signalId: signalIds, ruleId: ruleIds, severity: severities, limit } = query;
  const before = cursor === undefined ? undefined : decodeCursor(Place, cursor).before;
  return { accountId, before, signalIds, ruleIds, severities, fromMs, toMs, limit: limit + 1 };
};

/** No event has told of it: whoever knows more of it, knows better. */
const UNTOLD = 0;

const pendingOf = async ({ probes }: Ends, asked: Asked) => {
  const { accountId, signalIds = null, ruleIds = null, severities = null } = asked;
  const { before, fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY } = asked;
  const { alerts, truncated } = await probes.pending({
    accountId,
    signalIds: signalIds && [...signalIds],
    ruleIds: ruleIds && [...ruleIds],
    severities: severities && [...severities],
  });
  const told = alerts
    .filter(({ id, pendingSince }) => {
      const sinceMs = Date.parse(pendingSince ?? "");
      return (before === undefined || id < before) && !(sinceMs < fromMs) && !(sinceMs >= toMs);
    })
    .map((alert): ToldAlert => ({ accountId, sequence: UNTOLD, alert }));
  return { told, truncated };
};

/** Resolved ones of old; control data may know that one of them has fired again under its id, before events are stored. */
const historyOf = async ({ control, timeSeries }: Ends, asked: Asked): Promise<ToldAlert[]> => {
  const history = await timeSeries.resolvedAlerts(asked);
  const ids = history.map(({ alert }) => alert.id);
  const known = await control.alerts.known(asked.accountId, ids);
  const newest = new Map(known.map((told) => [told.alert.id, told]));
  return history.filter(({ alert, sequence }) => sequence >= (newest.get(alert.id)?.sequence ?? UNTOLD));
};

/** Of each the newest word, the newest first. */
const merged = (told: readonly ToldAlert[]): Alert[] => {
  const byId = new Map<AlertId, ToldAlert>();
  for (const one of told) {
    const other = byId.get(one.alert.id);
    if (other === undefined || other.sequence < one.sequence) byId.set(one.alert.id, one);
  }
  return [...byId.values()].map(({ alert }) => alert).sort((a, b) => (a.id < b.id ? 1 : -1));
};

/**
 * A page of alerts: those that wait as the evaluators say, those that fire and have just resolved out of control data,
 * where a webhook's receiver finds what it was told, older ones out of the time series. Asked in the order in which an
 * alert goes through them, so that one that goes on meanwhile is found twice, and not missed.
 */
export const alertsPage = async (ends: Ends, accountId: AccountId, query: AlertsQuery) => {
  const asked = askedOf(accountId, query);
  const states = new Set(query.state ?? USUAL);
  const { alerts } = ends.control;
  const pending = states.has("pending") ? await pendingOf(ends, asked) : { told: [], truncated: false };
  const firing = states.has("firing") ? await alerts.list("firing", asked) : [];
  const resolved = states.has("resolved") ? await alerts.list("resolved", asked) : [];
  const history = states.has("resolved") ? await historyOf(ends, asked) : [];
  const found = merged([...resolved, ...firing, ...pending.told, ...history]);
  const page = found.slice(0, query.limit);
  const last = page.at(-1);
  const nextCursor =
    found.length > query.limit && last !== undefined ? encodeCursor({ before: last.id }) : null;
  return { alerts: page, truncated: pending.truncated, nextCursor };
};
