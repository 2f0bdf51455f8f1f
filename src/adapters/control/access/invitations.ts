import { type Selectable, sql } from "kysely";
import { InvitationId } from "../../../../schemas/common.ts";
import { decodeCursor } from "../../../domain/cursor.ts";
import type { Invitation, Invitations } from "../../../ports/access.ts";
import { newUlid } from "../changed.ts";
import { afterId, pageOf } from "../cursor.ts";
import type { ControlContext } from "../engine.ts";
import type { ControlTables } from "../tables.ts";

const invitationOf = (row: Selectable<ControlTables["invitation"]>): Invitation => ({
  id: row.id,
  accountId: row.account_id,
  email: row.email,
  role: row.role,
  accessRequestId: row.access_request_id,
  sentAt: row.sent_at,
  expiresAt: row.expires_at,
  verifiedAt: row.verified_at,
  acceptedAt: row.accepted_at,
  revokedAt: row.revoked_at,
  createdAt: row.created_at,
});

export const createInvitations = (context: ControlContext): Invitations => {
  const { db, clock } = context;
  const open = (id: InvitationId) =>
    db
      .updateTable("invitation")
      .where("id", "=", id)
      .where("accepted_at", "is", null)
      .where("revoked_at", "is", null);
  return {
    create: async ({ accountId, email, role, accessRequestId }) => {
      const now = clock.now();
      const row = {
        id: InvitationId.parse(`inv_${newUlid(context)}`),
        account_id: accountId,
        email,
        role,
        access_request_id: accessRequestId,
        mail_id: null,
        sent_at: null,
        expires_at: now,
        verified_at: null,
        accepted_at: null,
        revoked_at: null,
        created_at: now,
      };
      const made = await db
        .insertInto("invitation")
        .values(row)
        .onConflict((conflict) =>
          conflict
            .columns(["account_id", "email"])
            .where("accepted_at", "is", null)
            .where("revoked_at", "is", null)
            .doUpdateSet({
              role,
              access_request_id: sql`coalesce(${accessRequestId}, invitation.access_request_id)`,
            }),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      return { ...invitationOf(made), isNew: made.id === row.id };
    },
    hold: async (id) => {
      const found = db.selectFrom("invitation").selectAll().where("id", "=", id);
      const row = await found
        .where("accepted_at", "is", null)
        .where("revoked_at", "is", null)
        .$if(context.engine.rowLocks, (query) => query.forUpdate())
        .executeTakeFirst();
      return row === undefined ? null : invitationOf(row);
    },
    get: async (id) => {
      const row = await db.selectFrom("invitation").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : invitationOf(row);
    },
    list: async (accountId, { limit, cursor }) => {
      const before = cursor === undefined ? null : decodeCursor(afterId(InvitationId), cursor).id;
      const rows = await db
        .selectFrom("invitation")
        .selectAll()
        .where("account_id", "=", accountId)
        .$if(before !== null, (query) => query.where("id", "<", before))
        .orderBy("id", "desc")
        .limit(limit + 1)
        .execute();
      return pageOf(rows, limit, invitationOf, ({ id }) => ({ id }));
    },
    mailed: async (id, mailId, expiresAt) => {
      const anew = { mail_id: mailId, sent_at: null, verified_at: null, expires_at: expiresAt };
      await open(id).set(anew).execute();
    },
    verified: async (id) =>
      (await open(id).set({ verified_at: clock.now() }).executeTakeFirst()).numUpdatedRows === 1n,
    accepted: async (id) =>
      (await open(id).set({ accepted_at: clock.now() }).executeTakeFirst()).numUpdatedRows === 1n,
    revoke: async (id) =>
      (await open(id).set({ revoked_at: clock.now() }).executeTakeFirst()).numUpdatedRows === 1n,
    revokeOf: async (accountId, email) => {
      const rows = await db
        .updateTable("invitation")
        .set({ revoked_at: clock.now() })
        .where("account_id", "=", accountId)
        .where("email", "=", email)
        .where("accepted_at", "is", null)
        .where("revoked_at", "is", null)
        .returningAll()
        .execute();
      return rows.map(invitationOf);
    },
  };
};
