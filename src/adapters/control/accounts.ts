import { isDeepStrictEqual } from "node:util";
import type { Selectable } from "kysely";
import { AccountId } from "../../../schemas/common.ts";
import type { Accounts, Changed, Expected, Facts, StoredAccount } from "../../ports/control-store.ts";
import { note } from "./audit.ts";
import { done, merged, newUlid, notFound, unexpected } from "./changed.ts";
import { difference } from "./difference.ts";
import type { ControlContext } from "./engine.ts";
import type { ControlTables } from "./tables.ts";
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

const storedOf = (row: Selectable<ControlTables["account"]>): StoredAccount => ({
  id: row.id,
  revision: row.revision,
  name: row.name,
  isSecondFactorRequired: row.second_factor_required === 1,
  createdAt: row.created_at,
});
const settingsOf = ({ name, isSecondFactorRequired }: StoredAccount) => ({
  name,
  secondFactorRequired: isSecondFactorRequired,
});

const updateAccount = (
  context: ControlContext,
  id: AccountId,
  patch: Parameters<Accounts["update"]>[1],
  expected: Expected,
): Promise<Changed<StoredAccount>> =>
  inTransaction(context, async (trx) => {
    const query = trx.selectFrom("account").selectAll().where("id", "=", id);
    const row = await query.$if(context.engine.rowLocks, (one) => one.forUpdate()).executeTakeFirst();
    if (row === undefined) return notFound;
    const before = storedOf(row);
    const other = unexpected(before.revision, expected);
    if (other !== null) return other;
    const patched = merged(before, patch);
    if (isDeepStrictEqual(patched, before)) return done(before, 0);
    const after = { ...patched, revision: before.revision + 1 };
    await trx
      .updateTable("account")
      .set({
        name: after.name,
        second_factor_required: after.isSecondFactorRequired ? 1 : 0,
        revision: after.revision,
      })
      .where("id", "=", id)
      .execute();
    const changed = difference(settingsOf(before), settingsOf(after));
    const target = { id, name: after.name ?? "" };
    await note(context, trx, [{ action: "account.updated", accountId: id, target, ...changed }]);
    return done(after, 0);
  });

export const createAccounts = (context: ControlContext): Accounts => ({
  get: async (id) => {
    const row = await context.db.selectFrom("account").selectAll().where("id", "=", id).executeTakeFirst();
    return row === undefined ? null : storedOf(row);
  },
  hold: async (id) => {
    const row = context.db.selectFrom("account").select("id").where("id", "=", id);
    await row.$if(context.engine.rowLocks, (query) => query.forUpdate()).execute();
  },
  update: (id, patch, expected = null) => updateAccount(context, id, patch, expected),
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
