import type { Kysely } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/** What keeps alerts from being delivered; and alerts that fire, or have done so of late. */
export const up = async (db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("silence")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .addColumn("until_at", "bigint")
    .addColumn("silence", text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("silence_by_account").on("silence").columns(["account_id", "id"]).execute();
  await db.schema
    .createTable("alert")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("signal_id", text, (column) => column.notNull())
    .addColumn("rule_id", text, (column) => column.notNull())
    .addColumn("severity", text, (column) => column.notNull())
    .addColumn("state", text, (column) => column.notNull())
    .addColumn("fired_at", "bigint", (column) => column.notNull())
    .addColumn("resolved_at", "bigint")
    // Of the newest event that told of it: of two events of a signal the greater counts.
    .addColumn("sequence", "bigint", (column) => column.notNull())
    .addColumn("alert", text, (column) => column.notNull())
    // Its own word, written when somebody says so: events carry it later.
    .addColumn("acknowledged", text)
    .execute();
  await db.schema
    .createIndex("alert_by_account")
    .on("alert")
    .columns(["account_id", "state", "id"])
    .execute();
  await db.schema.createIndex("alert_by_end").on("alert").column("resolved_at").execute();
};
