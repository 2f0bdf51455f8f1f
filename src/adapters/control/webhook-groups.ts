import type { GroupId } from "../../../schemas/common.ts";
import type { ChangedGroup, WebhookGroupStore } from "../../ports/webhook-groups.ts";
import { enabledWebhooks } from "./deliveries.ts";
import { type ControlContext, type ControlTransaction, slices } from "./engine.ts";
import type { GroupRow, GroupSignalRow } from "./tables.ts";
import { inTransaction } from "./transaction.ts";
import { groupContent, toldGroup } from "./webhook-group-content.ts";
import { groupOf, groupRow, memberOf, memberRow } from "./webhook-group-row.ts";
import { settleHeld } from "./webhook-held.ts";

const loadGroups = async (
  { db }: ControlContext,
  ...[webhookIds, sourceIds, signalIds]: Parameters<WebhookGroupStore["load"]>
): ReturnType<WebhookGroupStore["load"]> => {
  const groups = [];
  for (const slice of slices(sourceIds)) {
    const query = db.selectFrom("webhook_group").selectAll().where("source_id", "in", slice);
    groups.push(...(await query.where("webhook_id", "in", webhookIds).execute()));
  }
  if (groups.length === 0) return [];
  const rows = [];
  for (const ids of slices(groups.map(({ id }) => id)))
    for (const slice of slices(signalIds)) {
      const query = db.selectFrom("webhook_group_signal").selectAll().where("group_id", "in", ids);
      rows.push(...(await query.where("signal_id", "in", slice).execute()));
    }
  const members = Map.groupBy(rows, (row) => row.group_id);
  return groups.map((row) => ({ group: groupOf(row), members: (members.get(row.id) ?? []).map(memberOf) }));
};

const writeGroups = async (trx: ControlTransaction, rows: readonly GroupRow[]): Promise<void> => {
  for (const slice of slices(rows))
    await trx
      .insertInto("webhook_group")
      .values(slice)
      .onConflict((conflict) =>
        conflict.column("id").doUpdateSet(({ ref }) => ({
          due_at: ref("excluded.due_at"),
          is_formed: ref("excluded.is_formed"),
          signals: ref("excluded.signals"),
          failing: ref("excluded.failing"),
          beyond: ref("excluded.beyond"),
          told: ref("excluded.told"),
          told_at: ref("excluded.told_at"),
          position: ref("excluded.position"),
        })),
      )
      .execute();
};

const writeMembers = async (trx: ControlTransaction, rows: readonly GroupSignalRow[]): Promise<void> => {
  for (const slice of slices(rows))
    await trx
      .insertInto("webhook_group_signal")
      .values(slice)
      .onConflict((conflict) =>
        conflict.columns(["group_id", "signal_id"]).doUpdateSet(({ ref }) => ({
          open: ref("excluded.open"),
          failing: ref("excluded.failing"),
          news: ref("excluded.news"),
          severity: ref("excluded.severity"),
          event_id: ref("excluded.event_id"),
          since: ref("excluded.since"),
          sequence: ref("excluded.sequence"),
        })),
      )
      .execute();
};

const heldRows = ({ group, held }: ChangedGroup) =>
  held.map(({ deliveryId, isTold }) => ({
    delivery_id: deliveryId,
    group_id: group.id,
    is_told: isTold ? 1 : 0,
  }));

const saveGroups = (context: ControlContext, groups: readonly ChangedGroup[]): Promise<void> =>
  inTransaction(context, async (trx) => {
    const webhookIds = new Set(groups.map(({ group }) => group.webhookId));
    const enabled = await enabledWebhooks({ ...context, db: trx }, webhookIds);
    const kept = groups.filter(({ group }) => enabled.has(group.webhookId));
    const members = kept.flatMap(({ group, members: some }) => some.map((one) => memberRow(group.id, one)));
    await writeGroups(
      trx,
      kept.map(({ group }) => groupRow(group)),
    );
    await writeMembers(trx, members);
    for (const slice of slices(kept.flatMap(heldRows)))
      await trx.insertInto("webhook_held").values(slice).execute();
  });

export const createWebhookGroups = (context: ControlContext): WebhookGroupStore => {
  const { db, engine } = context;
  const remove = async (id: GroupId): Promise<void> => {
    await db.deleteFrom("webhook_group").where("id", "=", id).execute();
  };
  return {
    lock: async () => {
      if (!engine.rowLocks) return;
      const row = db.selectFrom("outbox_counter").select("position").where("name", "=", "groups");
      await row.forUpdate().executeTakeFirstOrThrow();
    },
    keep: async (webhookIds) => {
      await enabledWebhooks(context, new Set(webhookIds));
    },
    load: async (webhookIds, sourceIds, signalIds) =>
      webhookIds.length === 0 ? [] : loadGroups(context, webhookIds, sourceIds, signalIds),
    counts: async (webhookIds) => {
      if (webhookIds.length === 0) return new Map();
      const rows = await db
        .selectFrom("webhook_group")
        .select(({ fn }) => ["webhook_id", fn.countAll().as("groups")])
        .where("webhook_id", "in", webhookIds)
        .groupBy("webhook_id")
        .execute();
      return new Map(rows.map((row) => [row.webhook_id, Number(row.groups)]));
    },
    save: (groups) => (groups.length === 0 ? Promise.resolve() : saveGroups(context, groups)),
    settle: (id, told) => settleHeld(context, id, told),
    due: async (now, limit) => {
      const query = db.selectFrom("webhook_group").selectAll().where("due_at", "<=", now);
      return (await query.orderBy("due_at").orderBy("id").limit(limit).execute()).map(groupOf);
    },
    content: (group, limit) => groupContent(context, group, limit),
    told: (group) => toldGroup(context, group),
    remove,
  };
};
