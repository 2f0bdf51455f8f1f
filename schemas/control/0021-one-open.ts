import { type Kysely, sql } from "kysely";

/** Of each address one request waits, and one invitation into an account is open. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  // The first of several that wait keeps its place and its text.
  await sql`
    delete from access_request where state = 'pending' and exists (
      select 1 from access_request as earlier
      where earlier.email = access_request.email and earlier.state = 'pending' and earlier.id < access_request.id
    )`.execute(db);
  await db.schema
    .createIndex("access_request_pending")
    .on("access_request")
    .column("email")
    .unique()
    .where(sql.ref("state"), "=", sql.lit("pending"))
    .execute();
  // The newest of several stays open: it says what was meant last.
  await sql`
    update invitation set revoked_at = created_at where accepted_at is null and revoked_at is null and exists (
      select 1 from invitation as later
      where later.account_id = invitation.account_id and later.email = invitation.email
        and later.accepted_at is null and later.revoked_at is null and later.id > invitation.id
    )`.execute(db);
  await db.schema
    .createIndex("invitation_open")
    .on("invitation")
    .columns(["account_id", "email"])
    .unique()
    .where(sql.ref("accepted_at"), "is", null)
    .where(sql.ref("revoked_at"), "is", null)
    .execute();
};
