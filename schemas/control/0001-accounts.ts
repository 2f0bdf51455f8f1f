import type { Kysely } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/** Accounts, their keys, and small facts of the installation. Times are Unix ms throughout. */
export const up = async (db: Kysely<unknown>, { text, bytes }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("account")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("api_key")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("prefix", text, (column) => column.notNull())
    .addColumn("hash", bytes, (column) => column.notNull().unique())
    .addColumn("scopes", text, (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("fact")
    .addColumn("name", text, (column) => column.primaryKey())
    .addColumn("value", text, (column) => column.notNull())
    .execute();
};
