import { type AccountId, PersonId } from "../../../../schemas/common.ts";
import { decodeCursor } from "../../../domain/cursor.ts";
import type { ChangedMember, Member, Members } from "../../../ports/access.ts";
import type { Actor, Note } from "../../../ports/audit.ts";
import type { Changed, Expected } from "../../../ports/control-store.ts";
import { revokeKeysOf } from "../api-keys.ts";
import { note } from "../audit.ts";
import { conflict, done, notFound, unexpected } from "../changed.ts";
import { afterId, pageOf } from "../cursor.ts";
import { difference } from "../difference.ts";
import type { ControlContext, ControlTransaction } from "../engine.ts";
import { inTransaction } from "../transaction.ts";
import { endThere } from "./endings.ts";

type Db = ControlContext["db"];

const membersOf = (db: Db, accountId: AccountId) =>
  db
    .selectFrom("membership")
    .innerJoin("person", "person.id", "membership.person_id")
    .select([
      "person_id",
      "email",
      "role",
      "totp_confirmed_at",
      "suspended_at",
      "revision",
      "membership.created_at as created_at",
    ])
    .where("account_id", "=", accountId);
type Row = Awaited<ReturnType<ReturnType<typeof membersOf>["executeTakeFirstOrThrow"]>>;

const memberOf = (row: Row): Member => ({
  personId: row.person_id,
  email: row.email,
  role: row.role,
  hasSecondFactor: row.totp_confirmed_at !== null,
  suspendedAt: row.suspended_at,
  revision: row.revision,
  createdAt: row.created_at,
});

const one = async (db: Db, accountId: AccountId, personId: PersonId): Promise<Member | null> => {
  const row = await membersOf(db, accountId).where("person_id", "=", personId).executeTakeFirst();
  return row === undefined ? null : memberOf(row);
};

const ownersOf = async (db: Db, accountId: AccountId): Promise<Member[]> => {
  const owners = membersOf(db, accountId).where("role", "=", "owner").where("suspended_at", "is", null);
  return (await owners.orderBy("person_id").execute()).map(memberOf);
};

const about = (accountId: AccountId, { personId, email }: Member) => ({
  accountId,
  personId,
  target: { id: personId, name: email },
});
/** Who joins does it by a link, not signed in. */
const itself = ({ personId, email }: Member): Actor => ({ kind: "person", id: personId, name: email });
const settingsOf = ({ role, suspendedAt }: Member) => ({ role, suspended: suspendedAt !== null });
const changeNote = (accountId: AccountId, before: Member, after: Member | null): Note =>
  after === null
    ? { ...about(accountId, before), action: "member.removed", before: settingsOf(before) }
    : {
        ...about(accountId, after),
        action: "member.updated",
        ...difference(settingsOf(before), settingsOf(after)),
      };

const isOwner = ({ role, suspendedAt }: Member): boolean => role === "owner" && suspendedAt === null;

/** Thrown to undo a change. */
class LastOwnerError extends Error {}
const LAST_OWNER = conflict("", "this is the last owner: make somebody else an owner first");

/** One after the other for an account: two owners that demote each other leave one. */
const changing = (
  context: ControlContext,
  [accountId, personId, expected]: readonly [AccountId, PersonId, Expected],
  change: (trx: ControlTransaction, before: Member) => Promise<void>,
): Promise<Changed<ChangedMember>> =>
  inTransaction(context, async (trx): Promise<Changed<ChangedMember>> => {
    await trx
      .selectFrom("account")
      .select("id")
      .where("id", "=", accountId)
      .$if(context.engine.rowLocks, (query) => query.forUpdate())
      .execute();
    const before = await one(trx, accountId, personId);
    if (before === null) return notFound;
    const refused = unexpected(before.revision, expected);
    if (refused !== null) return refused;
    await change(trx, before);
    await trx.updateTable("session").set({ is_stale: 1 }).where("person_id", "=", personId).execute();
    const after = await one(trx, accountId, personId);
    if (isOwner(before) && (await ownersOf(trx, accountId)).length === 0) throw new LastOwnerError();
    await note(context, trx, [changeNote(accountId, before, after)]);
    return done({ before, after }, 0);
  }).catch((error: unknown) => {
    if (error instanceof LastOwnerError) return LAST_OWNER;
    throw error;
  });

export const createMembers = (context: ControlContext): Members => {
  const { db, clock } = context;
  return {
    add: (accountId, personId, role) =>
      inTransaction(context, async (trx) => {
        const row = {
          account_id: accountId,
          person_id: personId,
          role,
          revision: 1,
          suspended_at: null,
          created_at: clock.now(),
        };
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto("membership")
          .values(row)
          .onConflict((conflict) => conflict.columns(["account_id", "person_id"]).doNothing())
          .executeTakeFirst();
        if (numInsertedOrUpdatedRows !== 1n) return false;
        const member = await one(trx, accountId, personId);
        if (member !== null)
          await note(context, trx, [
            { ...about(accountId, member), action: "member.joined", actor: itself(member), after: { role } },
          ]);
        return true;
      }),
    get: (accountId, personId) => one(db, accountId, personId),
    list: async (accountId, { limit, cursor }) => {
      const after = cursor === undefined ? null : decodeCursor(afterId(PersonId), cursor).id;
      const rows = await membersOf(db, accountId)
        .$if(after !== null, (query) => query.where("person_id", ">", after))
        .orderBy("person_id")
        .limit(limit + 1)
        .execute();
      return pageOf(rows, limit, memberOf, ({ person_id: id }) => ({ id }));
    },
    of: async (personId) => {
      const rows = await db
        .selectFrom("membership")
        .select(["account_id", "role", "suspended_at"])
        .where("person_id", "=", personId)
        .orderBy("created_at")
        .orderBy("account_id")
        .execute();
      return rows.map((row) => ({
        accountId: row.account_id,
        role: row.role,
        suspendedAt: row.suspended_at,
      }));
    },
    owners: (accountId) => ownersOf(db, accountId),
    change: (accountId, personId, { role, isSuspended }, expected = null) =>
      changing(context, [accountId, personId, expected], async (trx, before) => {
        const sinceThen = isSuspended === true ? (before.suspendedAt ?? clock.now()) : null;
        const suspendedAt = isSuspended === undefined ? before.suspendedAt : sinceThen;
        await trx
          .updateTable("membership")
          .set({
            role: role ?? before.role,
            suspended_at: suspendedAt,
            revision: before.revision + 1,
          })
          .where("account_id", "=", accountId)
          .where("person_id", "=", personId)
          .execute();
        if (suspendedAt !== null) await endThere(context, trx, accountId, personId);
      }),
    remove: (accountId, personId, expected = null) =>
      changing(context, [accountId, personId, expected], async (trx) => {
        await trx
          .deleteFrom("membership")
          .where("account_id", "=", accountId)
          .where("person_id", "=", personId)
          .execute();
        await endThere(context, trx, accountId, personId);
        await revokeKeysOf(context, trx, accountId, personId);
      }),
  };
};
