import { sql } from "kysely";
import type { SignalGroup } from "../../domain/webhooks/group.ts";
import type { GroupContent } from "../../ports/webhook-groups.ts";
import type { ControlContext } from "./engine.ts";
import { inTransaction } from "./transaction.ts";
import { groupChanges, memberOf } from "./webhook-group-row.ts";

export const groupContent = async (
  { db }: ControlContext,
  { id, sourceId }: SignalGroup,
  limit: number,
): Promise<GroupContent> => {
  const signals = db.selectFrom("webhook_group_signal").where("group_id", "=", id);
  const counts = await signals
    .select([
      sql<number>`coalesce(sum(case when news = 'failed' then 1 else 0 end), 0)`.as("failed"),
      sql<number>`coalesce(sum(case when news is not null and failing = 0 then 1 else 0 end), 0)`.as(
        "recovered",
      ),
    ])
    .executeTakeFirstOrThrow();
  const rows = await signals
    .selectAll()
    .orderBy(sql`case when news is null then 2 when failing = 1 then 0 else 1 end`)
    .orderBy("signal_id")
    .limit(limit)
    .execute();
  const news = { failed: Number(counts.failed), recovered: Number(counts.recovered) };
  const source = await db
    .selectFrom("source")
    .select("settings")
    .where("id", "=", sourceId)
    .executeTakeFirst();
  const sourceName = source === undefined ? null : String(JSON.parse(source.settings).name);
  return { sourceName, news, members: rows.map(memberOf) };
};

export const toldGroup = (context: ControlContext, group: SignalGroup): Promise<void> =>
  inTransaction(context, async (trx) => {
    await trx
      .deleteFrom("webhook_group_signal")
      .where("group_id", "=", group.id)
      .where("failing", "=", 0)
      .execute();
    await trx
      .updateTable("webhook_group_signal")
      .set({ news: null })
      .where("group_id", "=", group.id)
      .where("news", "is not", null)
      .execute();
    await trx.updateTable("webhook_group").set(groupChanges(group)).where("id", "=", group.id).execute();
  });
