import type { AccountId, PersonId } from "../../../../schemas/common.ts";
import type { Note } from "../../../ports/audit.ts";
import { note } from "../audit.ts";
import type { ControlContext, ControlTransaction } from "../engine.ts";
import { grantNote, grantsOf } from "./oauth-grants.ts";
import { holdPerson } from "./people.ts";

/** Each by whoever suspends or removes the person, and in the log of both. */
const sessionsEnded = async (
  trx: ControlTransaction,
  accountId: AccountId,
  personId: PersonId,
): Promise<Note[]> => {
  const rows = await trx
    .deleteFrom("session")
    .where("account_id", "=", accountId)
    .where("person_id", "=", personId)
    .returning(["id", "user_agent"])
    .execute();
  return rows.map(({ id, user_agent: name }) => ({
    action: "session.ended",
    accountId,
    personId,
    target: { id, name },
  }));
};

const grantsEnded = async (
  trx: ControlTransaction,
  now: number,
  accountId: AccountId,
  personId: PersonId,
): Promise<Note[]> => {
  const rows = await grantsOf(trx, now)
    .where("oauth_grant.account_id", "=", accountId)
    .where("oauth_grant.person_id", "=", personId)
    .orderBy("oauth_grant.id")
    .execute();
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  await trx.deleteFrom("oauth_record").where("grant_id", "in", ids).execute();
  await trx.deleteFrom("oauth_grant").where("id", "in", ids).execute();
  return rows.map((row) => grantNote("oauth_grant.revoked", row));
};

/**
 * Ends what somebody has open in an account: their sessions that are in it, and what they let programs do there. Whoever
 * signs in meanwhile waits, and finds them as they are then.
 */
export const endThere = async (
  context: ControlContext,
  trx: ControlTransaction,
  accountId: AccountId,
  personId: PersonId,
): Promise<void> => {
  await holdPerson(context, trx, personId);
  const sessions = await sessionsEnded(trx, accountId, personId);
  const grants = await grantsEnded(trx, context.clock.now(), accountId, personId);
  await note(context, trx, [...sessions, ...grants]);
};
