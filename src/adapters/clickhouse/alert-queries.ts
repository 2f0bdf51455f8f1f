import { z } from "zod";
import { AlertData } from "../../../schemas/alert.ts";
import { AccountId, type AlertId, SignalId, SilenceId } from "../../../schemas/common.ts";
import { alertFrom, type ToldAlert } from "../../domain/told-alert.ts";
import type { AlertsQuery } from "../../ports/alerts.ts";
import type { AlertEventsQuery, EventRow } from "../../ports/time-series.ts";
import { allOf } from "./conditions.ts";
import type { Connection } from "./connection.ts";
import { EventRowColumns } from "./event-rows.ts";

const COLUMNS = "account_id, signal_id, sequence, alert, silenced_by, held_by";

/** No silence and no hold are an empty string. */
const orNone = <T extends z.ZodType>(schema: T) =>
  z.union([z.literal("").transform(() => undefined), schema]);

const Row = z
  .tuple([AccountId, SignalId, z.number(), z.string(), orNone(SilenceId), orNone(z.literal("flapping"))])
  .transform(([accountId, signalId, sequence, alert, silencedBy, heldBy]): ToldAlert => {
    const data = AlertData.parse(JSON.parse(alert));
    return { accountId, sequence, alert: alertFrom(signalId, data, { silencedBy, heldBy }) };
  });

/** One that flaps fires again under its old id: what may change is asked of the newest word only. */
export const selectResolvedAlerts = (connection: Connection, query: AlertsQuery): Promise<ToldAlert[]> => {
  const lasting = allOf([
    ["account_id = {accountId:String}", "accountId", query.accountId],
    ["id < {before:String}", "before", query.before],
    ["signal_id IN {signalIds:Array(String)}", "signalIds", query.signalIds],
    ["rule_id IN {ruleIds:Array(String)}", "ruleIds", query.ruleIds],
  ]);
  const newest = allOf([
    ["state = {state:String}", "state", "resolved"],
    ["severity IN {severities:Array(String)}", "severities", query.severities],
    ["fired_at >= fromUnixTimestamp64Milli({fromMs:Int64})", "fromMs", query.fromMs],
    ["fired_at < fromUnixTimestamp64Milli({toMs:Int64})", "toMs", query.toMs],
  ]);
  return connection.select(
    Row,
    `SELECT ${COLUMNS} FROM (
       SELECT ${COLUMNS}, id, state, severity, fired_at FROM alerts_by_id WHERE ${lasting.where}
       ORDER BY id DESC, sequence DESC LIMIT 1 BY id)
     WHERE ${newest.where} ORDER BY id DESC LIMIT {limit:UInt32}`,
    { ...lasting.parameters, ...newest.parameters, limit: query.limit },
  );
};

export const selectAlert = async (
  connection: Connection,
  accountId: AccountId,
  id: AlertId,
): Promise<ToldAlert | null> => {
  const [row] = await connection.select(
    Row,
    `SELECT ${COLUMNS} FROM alerts_by_id WHERE account_id = {accountId:String} AND id = {id:String}
     ORDER BY sequence DESC LIMIT 1`,
    { accountId, id },
  );
  return row ?? null;
};

export const selectFiringAlerts = (
  connection: Connection,
  after: AlertId | null,
  limit: number,
): Promise<ToldAlert[]> =>
  connection.select(
    Row,
    `SELECT ${COLUMNS} FROM (
       SELECT ${COLUMNS}, id, state FROM alerts_by_id WHERE id > {after:String} ORDER BY id, sequence DESC LIMIT 1 BY id)
     WHERE state = 'firing' ORDER BY id LIMIT {limit:UInt32}`,
    { after: after ?? "", limit },
  );

const MOMENTS: Readonly<Record<AlertEventsQuery["by"], string>> = {
  event: "created_at",
  reading:
    "parseDateTime64BestEffortOrZero(JSONExtractString(event, 'data', 'signal', 'lastReadingAt'), 3, 'UTC')",
};

/** Copies of an event have its sequence: one of them is enough, without FINAL. */
export const selectAlertEvents = (
  connection: Connection,
  { by, limit, ...asked }: AlertEventsQuery,
): Promise<EventRow[]> =>
  connection.select(
    EventRowColumns,
    `SELECT position, account_id, signal_id, event FROM events
     WHERE account_id = {accountId:String} AND signal_id = {signalId:String}
       AND kind IN ('alert.firing', 'alert.resolved', 'alert.acknowledged')
       AND ${MOMENTS[by]} <= fromUnixTimestamp64Milli({upToMs:Int64})
       AND JSONExtractString(event, 'data', 'alert', 'ruleId') = {ruleId:String}
     ORDER BY sequence DESC, position LIMIT 1 BY sequence LIMIT {limit:UInt32}`,
    { ...asked, limit },
  );
