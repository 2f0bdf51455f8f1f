import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/** Webhooks with their sealed secrets; and per endpoint its lane: who sends, under which fence, and how it has been. */
const webhooks = async (db: Kysely<unknown>, { text, bytes }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("webhook")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .addColumn("settings", text, (column) => column.notNull())
    .addColumn("secrets", bytes, (column) => column.notNull())
    .addColumn("disabled_reason", text)
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("webhook_by_account").on("webhook").columns(["account_id", "id"]).execute();
  await db.schema
    .createTable("webhook_lane")
    .addColumn("webhook_id", text, (column) =>
      column.primaryKey().references("webhook.id").onDelete("cascade"),
    )
    .addColumn("enabled", "integer", (column) => column.notNull())
    .addColumn("owner", text)
    .addColumn("fence", "bigint", (column) => column.notNull())
    .addColumn("lease_until", "bigint", (column) => column.notNull())
    .addColumn("failures_in_row", "bigint", (column) => column.notNull())
    .addColumn("failing_since", "bigint")
    .addColumn("open_until", "bigint")
    .execute();
  // Changes of any webhook, counted: whoever keeps them in mind sees here whether to read them again.
  await sql`insert into outbox_counter (name, position) values ('webhooks', 0)`.execute(db);
};

/** What was or is to be sent. An event's body is kept once, however many webhooks get it. */
const deliveries = async (db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("webhook_event")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("position", "bigint", (column) => column.notNull())
    .addColumn("kind", text, (column) => column.notNull())
    .addColumn("signal_id", text)
    .addColumn("body", text, (column) => column.notNull())
    .execute();
  // An id is made of webhook and event, so the key is what keeps a delivery from being made twice.
  await db.schema
    .createTable("delivery")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("webhook_id", text, (column) => column.notNull().references("webhook.id").onDelete("cascade"))
    .addColumn("event_id", text, (column) => column.notNull())
    .addColumn("position", "bigint", (column) => column.notNull())
    .addColumn("kind", text, (column) => column.notNull())
    .addColumn("signal_id", text)
    .addColumn("status", text, (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    // How many had been made when it was last sent again: the schedule begins anew there.
    .addColumn("attempts_before", "integer", (column) => column.notNull())
    .addColumn("next_attempt_at", "bigint")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("delivery_by_webhook").on("delivery").columns(["webhook_id", "id"]).execute();
  // The two lanes of an endpoint: first attempts in the order of events, retries by when they are due.
  await db.schema
    .createIndex("delivery_first")
    .on("delivery")
    .columns(["webhook_id", "position"])
    .where(sql.ref("status"), "=", sql.lit("pending"))
    .where(sql.ref("next_attempt_at"), "is", null)
    .execute();
  await db.schema
    .createIndex("delivery_retry")
    .on("delivery")
    .columns(["webhook_id", "next_attempt_at"])
    .where(sql.ref("status"), "=", sql.lit("pending"))
    .where(sql.ref("next_attempt_at"), "is not", null)
    .execute();
  await db.schema
    .createTable("delivery_attempt")
    .addColumn("delivery_id", text, (column) =>
      column.notNull().references("delivery.id").onDelete("cascade"),
    )
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("duration_ms", "double precision", (column) => column.notNull())
    .addColumn("status", "integer")
    .addColumn("failure", text)
    .addColumn("detail", text, (column) => column.notNull())
    .addColumn("response_body", text)
    .addPrimaryKeyConstraint("delivery_attempt_key", ["delivery_id", "number"])
    .execute();
};

export const up = async (db: Kysely<unknown>, columns: ColumnTypes): Promise<void> => {
  await webhooks(db, columns);
  await deliveries(db, columns);
};
