import type { Kysely } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/** People, the accounts that they are in, and what proves who they are. */
const people = async (db: Kysely<unknown>, { text, bytes }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("person")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("email", text, (column) => column.notNull().unique())
    // In the PHC string format; null: there is none yet, or another provider vouches for the person.
    .addColumn("password", text)
    // Sealed; it counts once it is confirmed. The last step that a code was taken for: none counts twice.
    .addColumn("totp", bytes)
    .addColumn("totp_confirmed_at", "bigint")
    .addColumn("totp_step", "bigint", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("membership")
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("person_id", text, (column) => column.notNull().references("person.id").onDelete("cascade"))
    .addColumn("role", text, (column) => column.notNull())
    .addColumn("revision", "bigint", (column) => column.notNull())
    .addColumn("suspended_at", "bigint")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("membership_key", ["account_id", "person_id"])
    .execute();
  await db.schema.createIndex("membership_by_person").on("membership").column("person_id").execute();
  await db.schema
    .createTable("recovery_code")
    .addColumn("person_id", text, (column) => column.notNull().references("person.id").onDelete("cascade"))
    .addColumn("hash", bytes, (column) => column.notNull())
    .addColumn("used_at", "bigint")
    .addPrimaryKeyConstraint("recovery_code_key", ["person_id", "hash"])
    .execute();
  await db.schema
    .createTable("outside_identity")
    .addColumn("issuer", text, (column) => column.notNull())
    .addColumn("subject", text, (column) => column.notNull())
    .addColumn("person_id", text, (column) => column.notNull().references("person.id").onDelete("cascade"))
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("outside_identity_key", ["issuer", "subject"])
    .execute();
};

/** How people come in: they ask, are invited, and follow links. Of every link only a keyed hash is kept. */
const invitations = async (db: Kysely<unknown>, { text, bytes }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("access_request")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("email", text, (column) => column.notNull())
    .addColumn("use_case", text, (column) => column.notNull())
    .addColumn("state", text, (column) => column.notNull())
    .addColumn("note", text)
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("decided_at", "bigint")
    .addColumn("reminded_at", "bigint")
    .execute();
  await db.schema
    .createIndex("access_request_by_state")
    .on("access_request")
    .columns(["state", "created_at"])
    .execute();
  await db.schema
    .createTable("invitation")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("account_id", text, (column) => column.notNull())
    .addColumn("email", text, (column) => column.notNull())
    .addColumn("role", text, (column) => column.notNull())
    .addColumn("access_request_id", text)
    .addColumn("mail_id", text)
    .addColumn("sent_at", "bigint")
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("verified_at", "bigint")
    .addColumn("accepted_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("invitation_by_account")
    .on("invitation")
    .columns(["account_id", "id"])
    .execute();
  await db.schema.createIndex("invitation_by_mail").on("invitation").column("mail_id").execute();
  await db.schema
    .createTable("link")
    .addColumn("hash", bytes, (column) => column.primaryKey())
    .addColumn("purpose", text, (column) => column.notNull())
    // Whom or what it is about: an invitation, a person.
    .addColumn("subject", text, (column) => column.notNull())
    // What it would do, sealed: such as the new address of a person.
    .addColumn("content", bytes)
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("used_at", "bigint")
    .execute();
  await db.schema.createIndex("link_by_subject").on("link").columns(["subject", "purpose"]).execute();
  await db.schema.createIndex("link_by_expiry").on("link").column("expires_at").execute();
};

/** Who is signed in, who is about to be, and how often somebody tried. */
const sessions = async (db: Kysely<unknown>, { text, bytes }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("session")
    .addColumn("id", text, (column) => column.primaryKey())
    .addColumn("hash", bytes, (column) => column.notNull().unique())
    // The one before it, which requests that were under way still come with.
    .addColumn("hash_before", bytes, (column) => column.unique())
    .addColumn("before_until", "bigint")
    .addColumn("person_id", text, (column) => column.notNull().references("person.id").onDelete("cascade"))
    // Null: a person of no account.
    .addColumn("account_id", text)
    .addColumn("second_factor", "integer", (column) => column.notNull())
    // To be given another token at its next request.
    .addColumn("is_stale", "integer", (column) => column.notNull())
    .addColumn("proven_at", "bigint", (column) => column.notNull())
    .addColumn("user_agent", text, (column) => column.notNull())
    .addColumn("address", text, (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("last_seen_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("session_by_person").on("session").column("person_id").execute();
  await db.schema.createIndex("session_by_last_seen").on("session").column("last_seen_at").execute();
  await db.schema
    .createTable("challenge")
    .addColumn("hash", bytes, (column) => column.primaryKey())
    .addColumn("person_id", text, (column) => column.notNull().references("person.id").onDelete("cascade"))
    .addColumn("tries", "integer", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("challenge_by_expiry").on("challenge").column("expires_at").execute();
  await db.schema
    .createTable("attempt_count")
    .addColumn("name", bytes, (column) => column.notNull())
    .addColumn("window_ms", "bigint", (column) => column.notNull())
    .addColumn("count", "bigint", (column) => column.notNull())
    .addColumn("until", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("attempt_count_key", ["name", "window_ms"])
    .execute();
  await db.schema.createIndex("attempt_count_by_end").on("attempt_count").column("until").execute();
};

export const up = async (db: Kysely<unknown>, columns: ColumnTypes): Promise<void> => {
  await people(db, columns);
  await invitations(db, columns);
  await sessions(db, columns);
  await db.schema.alterTable("account").addColumn("name", columns.text).execute();
  await db.schema
    .alterTable("account")
    .addColumn("second_factor_required", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  // Of a session, too.
  await db.schema.alterTable("stream_ticket").renameColumn("api_key_id", "caller_id").execute();
  // Whose role bounds what it may do; null: it was made before there were people, or by another key.
  await db.schema.alterTable("api_key").addColumn("person_id", columns.text).execute();
};
