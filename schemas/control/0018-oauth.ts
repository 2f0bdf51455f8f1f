import type { Kysely } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/** Programs that may be let in, what people allowed them, and the tokens and codes that come of it. */
export const up = async (db: Kysely<unknown>, { text, bytes }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("oauth_client")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .addColumn("settings", text, (column) => column.notNull())
    // A keyed hash; null: it has none to prove itself with.
    .addColumn("secret", bytes)
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("oauth_client_by_account")
    .on("oauth_client")
    .columns(["account_id", "id"])
    .execute();
  await db.schema
    .createTable("oauth_grant")
    .addColumn("id", text, (column) => column.primaryKey())
    // Of a table, or the command line, which is in none.
    .addColumn("client_id", text, (column) => column.notNull())
    .addColumn("person_id", text, (column) => column.notNull().references("person.id").onDelete("cascade"))
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("scopes", text, (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    // Not before what was issued under it.
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("last_used_at", "bigint")
    .execute();
  await db.schema
    .createIndex("oauth_grant_by_person")
    .on("oauth_grant")
    .columns(["person_id", "id"])
    .execute();
  await db.schema.createIndex("oauth_grant_by_client").on("oauth_grant").column("client_id").execute();
  await db.schema.createIndex("oauth_grant_by_expiry").on("oauth_grant").column("expires_at").execute();
  await db.schema
    .createTable("oauth_record")
    .addColumn("hash", bytes, (column) => column.primaryKey())
    .addColumn("kind", text, (column) => column.notNull())
    .addColumn("client_id", text)
    .addColumn("grant_id", text)
    // Of a device: the hash of what a person types.
    .addColumn("user_code", bytes, (column) => column.unique())
    // Sealed: it holds the token itself.
    .addColumn("content", bytes, (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    // It was redeemed, or a person has begun to decide on it: each happens once.
    .addColumn("consumed_at", "bigint")
    .addColumn("claimed_at", "bigint")
    .execute();
  await db.schema.createIndex("oauth_record_by_grant").on("oauth_record").column("grant_id").execute();
  await db.schema.createIndex("oauth_record_by_client").on("oauth_record").column("client_id").execute();
  await db.schema.createIndex("oauth_record_by_expiry").on("oauth_record").column("expires_at").execute();
};
