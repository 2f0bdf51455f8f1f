import type { Kysely } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/** E-mails to be sent, with what became of them. `content` is sealed: links in it let people in. */
export const up = async (db: Kysely<unknown>, { text, bytes }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("mail")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("recipient", text, (column) => column.notNull())
    // Null once it has been sent or given up.
    .addColumn("content", bytes)
    .addColumn("state", text, (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    // Whoever sends it moves this beyond its lease, under a claim of its own. Null at the end.
    .addColumn("next_attempt_at", "bigint")
    .addColumn("claim", text)
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("error", text)
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("ended_at", "bigint")
    .execute();
  await db.schema.createIndex("mail_by_next_attempt").on("mail").column("next_attempt_at").execute();
  await db.schema.createIndex("mail_by_end").on("mail").column("ended_at").execute();
};
