import { Acknowledgement, Alert } from "../../../schemas/alert.ts";
import type { AccountId, AlertId } from "../../../schemas/common.ts";
import type { ToldAlert } from "../../domain/told-alert.ts";
import type { Acknowledging, Alerts, AlertsQuery } from "../../ports/alerts.ts";
import type { Changed } from "../../ports/control-store.ts";
import { projectAlerts } from "./alert-projection.ts";
import { note } from "./audit.ts";
import { conflict, done, notFound } from "./changed.ts";
import { type ControlContext, slices } from "./engine.ts";
import { writeOutbox } from "./outbox.ts";
import type { AlertRow } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

const toldOf = (row: AlertRow): ToldAlert => {
  const alert = Alert.parse(JSON.parse(row.alert));
  const acknowledged = row.acknowledged === null ? null : Acknowledgement.parse(JSON.parse(row.acknowledged));
  return { accountId: row.account_id, sequence: row.sequence, alert: { ...alert, acknowledged } };
};

const listAlerts = async (
  { db }: ControlContext,
  state: AlertRow["state"],
  { accountId, before, limit, signalIds, ruleIds, severities, fromMs, toMs }: AlertsQuery,
): Promise<ToldAlert[]> => {
  let query = db
    .selectFrom("alert")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("state", "=", state);
  if (before !== undefined) query = query.where("id", "<", before);
  if (signalIds !== undefined) query = query.where("signal_id", "in", signalIds);
  if (ruleIds !== undefined) query = query.where("rule_id", "in", ruleIds);
  if (severities !== undefined) query = query.where("severity", "in", severities);
  if (fromMs !== undefined) query = query.where("fired_at", ">=", fromMs);
  if (toMs !== undefined) query = query.where("fired_at", "<", toMs);
  return (await query.orderBy("id", "desc").limit(limit).execute()).map(toldOf);
};

const knownAlerts = async (
  { db }: ControlContext,
  accountId: AccountId,
  ids: readonly AlertId[],
): Promise<ToldAlert[]> => {
  const query = db.selectFrom("alert").selectAll().where("account_id", "=", accountId);
  const rows = [];
  for (const some of slices(ids)) rows.push(...(await query.where("id", "in", some).execute()));
  return rows.map(toldOf);
};

const acknowledgeAlert = (
  context: ControlContext,
  accountId: AccountId,
  id: AlertId,
  { by, note: words }: Acknowledging,
): Promise<Changed<ToldAlert>> =>
  inTransaction(context, async (trx) => {
    const query = trx
      .selectFrom("alert")
      .selectAll()
      .where("id", "=", id)
      .where("account_id", "=", accountId);
    const row = await query.$if(context.engine.rowLocks, (one) => one.forUpdate()).executeTakeFirst();
    if (row === undefined) return notFound;
    const told = toldOf(row);
    if (row.state !== "firing") return conflict("", "the alert has resolved: there is nothing to take on");
    if (told.alert.acknowledged !== null) return done(told, 0);
    const at = context.clock.now();
    const acknowledged = { at: new Date(at).toISOString(), by, note: words };
    const changes = { acknowledged: JSON.stringify(acknowledged) };
    await trx.updateTable("alert").set(changes).where("id", "=", id).execute();
    const { signalId, ruleName } = told.alert;
    const target = { id, name: ruleName };
    await note(context, trx, [{ action: "alert.acknowledged", accountId, target, after: { note: words } }]);
    const change = { type: "acknowledged" as const, accountId, signalId, alertId: id, at, by, note: words };
    const outbox = await writeOutbox(trx, [{ topic: "readings", change }]);
    return done({ ...told, alert: { ...told.alert, acknowledged } }, outbox);
  });

const pruneAlerts = async ({ db }: ControlContext, before: number, limit: number): Promise<number> => {
  const old = db.selectFrom("alert").select("id").where("resolved_at", "<", before).limit(limit);
  const { numDeletedRows } = await db.deleteFrom("alert").where("id", "in", old).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
};

export const createAlerts = (context: ControlContext): Alerts => ({
  project: (rows) => projectAlerts(context, rows),
  get: async (accountId, id) => {
    const query = context.db.selectFrom("alert").selectAll().where("id", "=", id);
    const row = await query.where("account_id", "=", accountId).executeTakeFirst();
    return row === undefined ? null : toldOf(row);
  },
  known: (accountId, ids) => knownAlerts(context, accountId, ids),
  list: (state, query) => listAlerts(context, state, query),
  acknowledge: (accountId, id, who) => acknowledgeAlert(context, accountId, id, who),
  prune: (before, limit) => pruneAlerts(context, before, limit),
});
