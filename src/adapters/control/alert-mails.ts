import type { AlertMails, ChangedBox, LoadedBox } from "../../ports/alert-mails.ts";
import { boxOf, boxRow, followedOf, followedRow } from "./alert-mail-row.ts";
import { createAlertMailStops } from "./alert-mail-stops.ts";
import { createAlertMailTelling } from "./alert-mail-telling.ts";
import { type ControlContext, type ControlTransaction, slices } from "./engine.ts";
import type { MailAlertRow, MailBoxRow } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

const loadBoxes = async (
  { db }: ControlContext,
  ...[accountId, recipients, alertIds]: Parameters<AlertMails["load"]>
): Promise<LoadedBox[]> => {
  const boxes = [];
  const alerts = [];
  for (const some of slices(recipients)) {
    const own = db.selectFrom("alert_mail_box").selectAll().where("account_id", "=", accountId);
    boxes.push(...(await own.where("recipient", "in", some).execute()));
    const followed = db.selectFrom("alert_mail_alert").selectAll().where("account_id", "=", accountId);
    for (const ids of slices(alertIds))
      alerts.push(...(await followed.where("recipient", "in", some).where("alert_id", "in", ids).execute()));
  }
  const byRecipient = Map.groupBy(alerts, ({ recipient }) => recipient);
  return boxes.map((row) => ({
    box: boxOf(row),
    alerts: (byRecipient.get(row.recipient) ?? []).map(followedOf),
  }));
};

const writeBoxes = async (trx: ControlTransaction, rows: readonly MailBoxRow[]): Promise<void> => {
  for (const slice of slices(rows))
    await trx
      .insertInto("alert_mail_box")
      .values(slice)
      .onConflict((conflict) =>
        conflict.columns(["account_id", "recipient"]).doUpdateSet(({ ref }) => ({
          due_at: ref("excluded.due_at"),
          told_at: ref("excluded.told_at"),
          followed: ref("excluded.followed"),
          beyond: ref("excluded.beyond"),
        })),
      )
      .execute();
};

const writeAlerts = async (trx: ControlTransaction, rows: readonly MailAlertRow[]): Promise<void> => {
  for (const slice of slices(rows))
    await trx
      .insertInto("alert_mail_alert")
      .values(slice)
      .onConflict((conflict) =>
        conflict.columns(["account_id", "recipient", "alert_id"]).doUpdateSet(({ ref }) => ({
          rule_name: ref("excluded.rule_name"),
          state: ref("excluded.state"),
          rank: ref("excluded.rank"),
          sequence: ref("excluded.sequence"),
          news: ref("excluded.news"),
          content: ref("excluded.content"),
          mail_id: ref("excluded.mail_id"),
          updated_at: ref("excluded.updated_at"),
        })),
      )
      .execute();
};

const saveBoxes = (context: ControlContext, boxes: readonly ChangedBox[]): Promise<void> =>
  inTransaction(context, async (trx) => {
    const now = context.clock.now();
    await writeBoxes(
      trx,
      boxes.map(({ box }) => boxRow(box)),
    );
    await writeAlerts(
      trx,
      boxes.flatMap(({ box, alerts }) => alerts.map((alert) => followedRow(box, alert, now))),
    );
  });

/** Alerts that nothing is new of, whose end was told to nobody: their address stopped e-mails, or there were too many. */
const pruneAlerts = async (trx: ControlTransaction, before: number, limit: number): Promise<number> => {
  const old = trx.selectFrom("alert_mail_alert").select(["account_id", "recipient", "alert_id"]);
  const rows = await old.where("updated_at", "<", before).where("news", "=", 0).limit(limit).execute();
  for (const { account_id, recipient, alert_id } of rows)
    await trx
      .deleteFrom("alert_mail_alert")
      .where("account_id", "=", account_id)
      .where("recipient", "=", recipient)
      .where("alert_id", "=", alert_id)
      .execute();
  return rows.length;
};

const pruneBoxes = async (trx: ControlTransaction, before: number, limit: number): Promise<number> => {
  const old = trx.selectFrom("alert_mail_box").select(["account_id", "recipient"]);
  const rows = await old.where("told_at", "<", before).where("due_at", "is", null).limit(limit).execute();
  for (const { account_id, recipient } of rows)
    await trx
      .deleteFrom("alert_mail_box")
      .where("account_id", "=", account_id)
      .where("recipient", "=", recipient)
      .where("due_at", "is", null)
      .execute();
  return rows.length;
};

const pruneSpent = async (trx: ControlTransaction, before: number, limit: number): Promise<number> => {
  const old = trx.selectFrom("alert_mail_spent").select("name").where("until", "<", before).limit(limit);
  const { numDeletedRows } = await trx
    .deleteFrom("alert_mail_spent")
    .where("name", "in", old)
    .executeTakeFirst();
  return Number(numDeletedRows);
};

export const createAlertMails = (context: ControlContext): AlertMails => {
  const { db, engine } = context;
  return {
    lock: async () => {
      if (!engine.rowLocks) return;
      const row = db.selectFrom("outbox_counter").select("position").where("name", "=", "alert-mails");
      await row.forUpdate().executeTakeFirstOrThrow();
    },
    load: (accountId, recipients, alertIds) => loadBoxes(context, accountId, recipients, alertIds),
    save: (boxes) => saveBoxes(context, boxes),
    due: async (now, limit) => {
      const due = db.selectFrom("alert_mail_box").selectAll().where("due_at", "<=", now);
      const ordered = due.orderBy("told_at").orderBy("account_id").orderBy("recipient");
      return (await ordered.limit(limit).execute()).map(boxOf);
    },
    ...createAlertMailTelling(context),
    ...createAlertMailStops(context),
    prune: (before, limit) =>
      inTransaction(context, async (trx) => {
        let pruned = 0;
        for (const prune of [pruneAlerts, pruneBoxes, pruneSpent]) pruned += await prune(trx, before, limit);
        return pruned;
      }),
  };
};
