import type { Kysely } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/** What people and programs have changed, in accounts and of themselves. Their ids say when: they are in the order of time. */
export const up = async (db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("audit_entry")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("account_id", text)
    .addColumn("person_id", text)
    .addColumn("action", text, (column) => column.notNull())
    .addColumn("actor_kind", text, (column) => column.notNull())
    .addColumn("actor_id", text)
    .addColumn("actor_name", text, (column) => column.notNull())
    .addColumn("target_id", text)
    .addColumn("target_name", text)
    .addColumn("address", text)
    .addColumn("user_agent", text)
    .addColumn("request_id", text)
    .addColumn("before", text)
    .addColumn("after", text)
    .execute();
  await db.schema
    .alterTable("account")
    .addColumn("revision", "bigint", (column) => column.notNull().defaultTo(1))
    .execute();
  for (const columns of [
    ["account_id", "id"],
    ["account_id", "actor_id", "id"],
    ["account_id", "target_id", "id"],
    ["person_id", "id"],
  ])
    await db.schema
      .createIndex(`audit_entry_by_${columns.slice(0, -1).join("_")}`)
      .on("audit_entry")
      .columns(columns)
      .execute();
};
