import type { Kysely } from "kysely";
import type { ColumnTypes } from "./columns.ts";

const COUNTERS = ["messages", "readings", "skipped", "rejected", "reconnects"];

const status = (db: Kysely<unknown>, text: ColumnTypes["text"]) => {
  const table = db.schema
    .createTable("source_status")
    .addColumn("source_id", text, (column) => column.primaryKey().references("source.id").onDelete("cascade"))
    .addColumn("state", text, (column) => column.notNull())
    .addColumn("state_reason", text)
    .addColumn("last_message_at", "bigint");
  return COUNTERS.reduce((made, name) => made.addColumn(name, "bigint", (column) => column.notNull()), table);
};

/** Sources with their sealed secrets, how they run, what could not be mapped; and the alert rules. */
export const up = async (db: Kysely<unknown>, { text, bytes }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("source")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .addColumn("settings", text, (column) => column.notNull())
    .addColumn("secrets", bytes, (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("source_by_account").on("source").columns(["account_id", "id"]).execute();
  await status(db, text).execute();
  await db.schema
    .createTable("source_rejection")
    .addColumn("source_id", text, (column) => column.notNull().references("source.id").onDelete("cascade"))
    .addColumn("number", "bigint", (column) => column.notNull())
    .addColumn("rejection", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("source_rejection_key", ["source_id", "number"])
    .execute();
  await db.schema
    .createTable("rule")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .addColumn("rule", text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("rule_by_account").on("rule").columns(["account_id", "id"]).execute();
};
