import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/** Per webhook and source what has failed together: the group with its timer, its signals, and what it holds back. */
export const up = async (db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("webhook_group")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("webhook_id", text, (column) => column.notNull().references("webhook.id").onDelete("cascade"))
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("source_id", text, (column) => column.notNull())
    .addColumn("started_at", "bigint", (column) => column.notNull())
    .addColumn("due_at", "bigint")
    .addColumn("is_formed", "integer", (column) => column.notNull())
    .addColumn("signals", "integer", (column) => column.notNull())
    .addColumn("failing", "integer", (column) => column.notNull())
    .addColumn("beyond", "bigint", (column) => column.notNull())
    .addColumn("told", "bigint", (column) => column.notNull())
    .addColumn("told_at", "bigint", (column) => column.notNull())
    .addColumn("position", "bigint", (column) => column.notNull())
    .addUniqueConstraint("webhook_group_source", ["webhook_id", "source_id"])
    .execute();
  await db.schema.createIndex("webhook_group_due").on("webhook_group").columns(["due_at"]).execute();
  await db.schema
    .createTable("webhook_group_signal")
    .addColumn("group_id", text, (column) =>
      column.notNull().references("webhook_group.id").onDelete("cascade"),
    )
    .addColumn("signal_id", text, (column) => column.notNull())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("external_id", text)
    .addColumn("open", text, (column) => column.notNull())
    .addColumn("failing", "integer", (column) => column.notNull())
    .addColumn("news", text)
    .addColumn("severity", text)
    .addColumn("event_id", text, (column) => column.notNull())
    .addColumn("since", "bigint", (column) => column.notNull())
    .addColumn("sequence", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("webhook_group_signal_key", ["group_id", "signal_id"])
    .execute();
  // Deliveries that wait for what becomes of their group; `is_told`: the group's notification tells the same.
  await db.schema
    .createTable("webhook_held")
    .addColumn("delivery_id", text, (column) =>
      column.primaryKey().references("delivery.id").onDelete("cascade"),
    )
    .addColumn("group_id", text, (column) =>
      column.notNull().references("webhook_group.id").onDelete("cascade"),
    )
    .addColumn("is_told", "integer", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("webhook_held_by_group").on("webhook_held").columns(["group_id"]).execute();
  // Whoever changes groups takes this row first, so that two at once come one after the other.
  await sql`insert into outbox_counter (name, position) values ('groups', 0)`.execute(db);
};
