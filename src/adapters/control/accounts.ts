import { AccountId } from "../../../schemas/common.ts";
import type { Accounts, Facts } from "../../ports/control-store.ts";
import { newUlid } from "./changed.ts";
import type { ControlContext } from "./engine.ts";
import { inTransaction } from "./transaction.ts";

export const createFacts = ({ db }: Pick<ControlContext, "db">): Facts => {
  const get = async (name: string): Promise<string | null> => {
    const query = db.selectFrom("fact").select("value").where("name", "=", name);
    return (await query.executeTakeFirst())?.value ?? null;
  };
  return {
    get,
    ensure: async (name, value) => {
      const add = db.insertInto("fact").values({ name, value });
      await add.onConflict((conflict) => conflict.column("name").doNothing()).execute();
      return (await get(name)) ?? value;
    },
    set: async (name, value) => {
      const add = db.insertInto("fact").values({ name, value });
      await add.onConflict((conflict) => conflict.column("name").doUpdateSet({ value })).execute();
    },
  };
};

/** Which account is the first one is a fact, so that two processes at their first start agree. */
const FIRST_ACCOUNT = "first_account";

export const createAccounts = (context: ControlContext): Accounts => ({
  first: () =>
    inTransaction(context, async (trx) => {
      const proposed = `acc_${newUlid(context)}`;
      const id = AccountId.parse(await createFacts({ db: trx }).ensure(FIRST_ACCOUNT, proposed));
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto("account")
        .values({ id, created_at: context.clock.now() })
        .onConflict((conflict) => conflict.column("id").doNothing())
        .executeTakeFirstOrThrow();
      return { id, created: numInsertedOrUpdatedRows === 1n };
    }),
});
