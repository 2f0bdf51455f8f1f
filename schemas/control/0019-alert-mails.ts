import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/** What is to be told of alerts by e-mail, by address; what each address got, and what it wants no more. */
export const up = async (db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("alert_mail_box")
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("recipient", text, (column) => column.notNull())
    // Null: nothing waits.
    .addColumn("due_at", "bigint")
    .addColumn("told_at", "bigint", (column) => column.notNull())
    .addColumn("followed", "integer", (column) => column.notNull())
    .addColumn("beyond", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("alert_mail_box_key", ["account_id", "recipient"])
    .execute();
  await db.schema.createIndex("alert_mail_box_due").on("alert_mail_box").column("due_at").execute();
  await db.schema
    .createTable("alert_mail_alert")
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("recipient", text, (column) => column.notNull())
    .addColumn("alert_id", text, (column) => column.notNull())
    .addColumn("rule_id", text, (column) => column.notNull())
    .addColumn("rule_name", text, (column) => column.notNull())
    .addColumn("state", text, (column) => column.notNull())
    // Of its severity, the hardest the highest: those are listed first.
    .addColumn("rank", "integer", (column) => column.notNull())
    .addColumn("sequence", "bigint", (column) => column.notNull())
    .addColumn("news", "integer", (column) => column.notNull())
    .addColumn("content", text, (column) => column.notNull())
    // The e-mail that told of it first; null: none did as yet.
    .addColumn("mail_id", text)
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("alert_mail_alert_key", ["account_id", "recipient", "alert_id"])
    .execute();
  await db.schema
    .createIndex("alert_mail_alert_news")
    .on("alert_mail_alert")
    .columns(["account_id", "recipient", "news"])
    .execute();
  await db.schema
    .createIndex("alert_mail_alert_by_time")
    .on("alert_mail_alert")
    .column("updated_at")
    .execute();
  // Of an address, or of an account: when all that it may be sent, or send, is there again.
  await db.schema
    .createTable("alert_mail_spent")
    .addColumn("name", text, (column) => column.primaryKey())
    .addColumn("until", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("alert_mail_stop")
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("recipient", text, (column) => column.notNull())
    // A rule's id, or `all`.
    .addColumn("scope", text, (column) => column.notNull())
    .addColumn("stopped_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("alert_mail_stop_key", ["account_id", "recipient", "scope"])
    .execute();
  // Whoever changes boxes takes this row first, so that two at once come one after the other.
  await sql`insert into outbox_counter (name, position) values ('alert-mails', 0)`.execute(db);
};
