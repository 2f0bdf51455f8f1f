import type { Kysely } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/** How long keys hold and when they were used, requests that may be sent again, and tickets for a browser's stream. */
export const up = async (db: Kysely<unknown>, { text, bytes }: ColumnTypes): Promise<void> => {
  await db.schema.alterTable("api_key").addColumn("expires_at", "bigint").execute();
  await db.schema.alterTable("api_key").addColumn("last_used_at", "bigint").execute();
  await db.schema.createIndex("api_key_by_account").on("api_key").columns(["account_id", "id"]).execute();
  await db.schema
    .createTable("idempotency_key")
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("key", text, (column) => column.notNull())
    .addColumn("fingerprint", bytes, (column) => column.notNull())
    .addColumn("claim", text, (column) => column.notNull())
    .addColumn("lease_until", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    // Null while the first request runs.
    .addColumn("result", bytes)
    .addPrimaryKeyConstraint("idempotency_key_key", ["account_id", "key"])
    .execute();
  await db.schema
    .createIndex("idempotency_key_by_expiry")
    .on("idempotency_key")
    .column("expires_at")
    .execute();
  await db.schema
    .createTable("stream_ticket")
    .addColumn("hash", bytes, (column) => column.primaryKey())
    .addColumn("api_key_id", text, (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
};
