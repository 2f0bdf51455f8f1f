import { z } from "zod";
import { AlertData } from "../../../schemas/alert.ts";
import { AccountId, type AlertId, SignalId, SilenceId } from "../../../schemas/common.ts";
import { alertFrom, type ToldAlert } from "../../domain/told-alert.ts";
import type { AlertsQuery } from "../../ports/alerts.ts";
import { allOf } from "./conditions.ts";
import type { Connection } from "./connection.ts";

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

/** Whoever has resolved does not fire again, so what is older need not be looked at to leave it out: no FINAL. */
export const selectResolvedAlerts = (connection: Connection, query: AlertsQuery): Promise<ToldAlert[]> => {
  const { where, parameters } = allOf([
    ["account_id = {accountId:String}", "accountId", query.accountId],
    ["id < {before:String}", "before", query.before],
    ["signal_id IN {signalIds:Array(String)}", "signalIds", query.signalIds],
    ["rule_id IN {ruleIds:Array(String)}", "ruleIds", query.ruleIds],
    ["severity IN {severities:Array(String)}", "severities", query.severities],
    ["fired_at >= fromUnixTimestamp64Milli({fromMs:Int64})", "fromMs", query.fromMs],
    ["fired_at < fromUnixTimestamp64Milli({toMs:Int64})", "toMs", query.toMs],
  ]);
  return connection.select(
    Row,
    `SELECT ${COLUMNS} FROM alerts WHERE ${where} AND state = 'resolved'
     ORDER BY id DESC, sequence DESC LIMIT 1 BY id LIMIT {limit:UInt32}`,
    { ...parameters, limit: query.limit },
  );
};

export const selectAlert = async (
  connection: Connection,
  accountId: AccountId,
  id: AlertId,
): Promise<ToldAlert | null> => {
  const [row] = await connection.select(
    Row,
    `SELECT ${COLUMNS} FROM alerts WHERE account_id = {accountId:String} AND id = {id:String}
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
       SELECT ${COLUMNS}, id, state FROM alerts WHERE id > {after:String} ORDER BY id, sequence DESC LIMIT 1 BY id)
     WHERE state = 'firing' ORDER BY id LIMIT {limit:UInt32}`,
    { after: after ?? "", limit },
  );
