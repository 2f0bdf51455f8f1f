import type { AccountId } from "../../../schemas/common.ts";
import type { ControlTransaction } from "./engine.ts";

/**
 * How many signals the account has. Locks the count until the transaction ends, so makers and removers of one
 * account's signals come one after the other; taken before any signal's row, which keeps them free of deadlocks.
 */
export const lockSignalCount = async (trx: ControlTransaction, accountId: AccountId): Promise<number> => {
  const { signals } = await trx
    .insertInto("signal_count")
    .values({ account_id: accountId, signals: 0 })
    .onConflict((conflict) =>
      conflict.column("account_id").doUpdateSet((eb) => ({ signals: eb.ref("signal_count.signals") })),
    )
    .returning("signals")
    .executeTakeFirstOrThrow();
  return signals;
};

/** Makers of an account's rules, too, come one after the other: the lock is the same one. */
export const countRules = async (trx: ControlTransaction, accountId: AccountId): Promise<number> => {
  await lockSignalCount(trx, accountId);
  const { rules } = await trx
    .selectFrom("rule")
    .select((eb) => eb.fn.countAll<number>().as("rules"))
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  return rules;
};

export const addToSignalCount = async (trx: ControlTransaction, accountId: AccountId, added: number) => {
  await trx
    .updateTable("signal_count")
    .set((eb) => ({ signals: eb("signals", "+", added) }))
    .where("account_id", "=", accountId)
    .execute();
};
