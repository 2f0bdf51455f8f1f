import type { Kysely } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/**
 * Events about webhooks that are still to be appended to the log, written with what they tell of; and who would send to
 * endpoints, also those who hold no lane yet.
 */
export const up = async (db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("webhook_notice")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("event", text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("webhook_sender")
    .addColumn("owner", text, (column) => column.primaryKey())
    .addColumn("lease_until", "bigint", (column) => column.notNull())
    .execute();
};
