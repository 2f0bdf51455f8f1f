import type { Kysely } from "kysely";
import type { ColumnTypes } from "./columns.ts";

const signal = (db: Kysely<unknown>, text: ColumnTypes["text"]) =>
  db.schema
    .createTable("signal")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .addColumn("name", text, (column) => column.notNull())
    .addColumn("external_id", text)
    // Name and external id in lower case, made by the service: the engines fold case differently.
    .addColumn("search", text, (column) => column.notNull())
    .addColumn("labels", text, (column) => column.notNull())
    .addColumn("threshold", "double precision", (column) => column.notNull())
    .addColumn("floor_dbm", "double precision", (column) => column.notNull())
    .addColumn("ceiling_dbm", "double precision", (column) => column.notNull())
    .addColumn("hysteresis", "double precision", (column) => column.notNull())
    .addColumn("no_data_after_seconds", "bigint")
    .addColumn("paused", "integer", (column) => column.notNull())
    .addColumn("source_id", text)
    // As shown: paused, else the projected state's. Repeated here so that a list by status reads an index in its order.
    .addColumn("status", text, (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull());

/** One for each order of a list; `search` at the end lets a search go through it without the rows. */
const INDEXES: Readonly<Record<string, string[]>> = {
  signal_by_name: ["account_id", "name", "id", "search"],
  signal_by_creation: ["account_id", "created_at", "id", "search"],
  signal_by_status_and_name: ["account_id", "status", "name", "id", "search"],
  signal_by_status_and_creation: ["account_id", "status", "created_at", "id", "search"],
};

/** Signals, their labels by value, what the deliver worker projected of their events, and who was deleted. */
export const up = async (db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> => {
  await signal(db, text).addUniqueConstraint("signal_external_id", ["account_id", "external_id"]).execute();
  for (const [name, columns] of Object.entries(INDEXES)) {
    await db.schema.createIndex(name).on("signal").columns(columns).execute();
  }
  await db.schema
    .createTable("signal_label")
    .addColumn("signal_id", text, (column) => column.notNull().references("signal.id").onDelete("cascade"))
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("key", text, (column) => column.notNull())
    .addColumn("value", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("signal_label_key", ["signal_id", "key"])
    .execute();
  await db.schema
    .createIndex("signal_label_by_value")
    .on("signal_label")
    .columns(["account_id", "key", "value", "signal_id"])
    .execute();
  await db.schema
    .createTable("signal_state")
    .addColumn("signal_id", text, (column) => column.primaryKey())
    .addColumn("status", text, (column) => column.notNull())
    .addColumn("reasons", text, (column) => column.notNull())
    .addColumn("sequence", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("signal_tombstone")
    .addColumn("signal_id", text, (column) => column.primaryKey())
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("signal_tombstone_by_expiry")
    .on("signal_tombstone")
    .column("expires_at")
    .execute();
  await db.schema
    .createTable("signal_count")
    .addColumn("account_id", text, (column) => column.primaryKey())
    .addColumn("signals", "bigint", (column) => column.notNull())
    .execute();
};
