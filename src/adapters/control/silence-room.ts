import type { AccountId, SilenceId } from "../../../schemas/common.ts";
import type { ControlTransaction } from "./engine.ts";
import { holdsAny } from "./silence-holding.ts";
import { storedOf } from "./silence-row.ts";

export const MAX_SILENCES = 1_000;
/** So many that are over go at once when there is no room. */
const MAKES_ROOM = 100;

interface Gone {
  readonly id: SilenceId;
  readonly revision: number;
}

/** Those whose time has passed. */
const pastEnd = (trx: ControlTransaction, accountId: AccountId, now: number) => {
  const mine = trx.selectFrom("silence").select("id").where("account_id", "=", accountId);
  return mine.where("until_at", "<=", now).orderBy("until_at").limit(MAKES_ROOM).execute();
};

/** Those that were to last until alerts resolve which have: the oldest first, as what fires now may not be told yet. */
const holdingNothing = async (
  trx: ControlTransaction,
  accountId: AccountId,
): Promise<{ id: SilenceId }[]> => {
  const endless = trx.selectFrom("silence").selectAll().where("account_id", "=", accountId);
  const rows = await endless.where("until_at", "is", null).orderBy("id").execute();
  const found: { id: SilenceId }[] = [];
  for (const row of rows) {
    const silence = storedOf(row);
    if (!silence.definition.untilResolved || (await holdsAny({ db: trx }, silence))) continue;
    found.push(row);
    if (found.length === MAKES_ROOM) break;
  }
  return found;
};

/** Deletes ones that are over if there is no room otherwise; null when there is none even so. */
export const makeRoom = async (
  trx: ControlTransaction,
  accountId: AccountId,
  now: number,
): Promise<Gone[] | null> => {
  const mine = trx.selectFrom("silence").where("account_id", "=", accountId);
  const { count } = await mine.select((eb) => eb.fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  if (count < MAX_SILENCES) return [];
  const past = await pastEnd(trx, accountId, now);
  const over = (past.length > 0 ? past : await holdingNothing(trx, accountId)).map(({ id }) => id);
  if (over.length === 0) return null;
  const gone = trx.deleteFrom("silence").where("id", "in", over);
  return gone.returning(["id", "revision"]).execute();
};
