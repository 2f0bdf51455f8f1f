import type { Selectable } from "kysely";
import { PersonId } from "../../../../schemas/common.ts";
import type { People, Person } from "../../../ports/access.ts";
import { newUlid } from "../changed.ts";
import { type ControlContext, UniqueViolationError } from "../engine.ts";
import type { ControlTables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";

const totpOwner = (id: PersonId): string => `second factor of ${id}`;
const codeName = (id: PersonId, code: string): string => `recovery code of ${id} ${code}`;

export const personOf = (row: Selectable<ControlTables["person"]>): Person => ({
  id: row.id,
  email: row.email,
  password: row.password,
  secondFactorSince: row.totp_confirmed_at,
  createdAt: row.created_at,
});

/** `work`, or `taken` where a unique constraint refused it: undone to where it began. */
const unlessTaken = async <T>(work: () => Promise<T>, taken: T): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UniqueViolationError) return taken;
    throw error;
  }
};

/** Another transaction that holds the person waits until this one has ended. */
export const holdPerson = async (
  { engine }: Pick<ControlContext, "engine">,
  db: ControlContext["db"],
  id: PersonId,
): Promise<void> => {
  const row = db.selectFrom("person").select("id").where("id", "=", id);
  await row.$if(engine.rowLocks, (query) => query.forUpdate()).execute();
};

export const createPeople = (context: ControlContext): People => {
  const { db, clock, sealer } = context;
  const change = (id: PersonId) => db.updateTable("person").where("id", "=", id);
  return {
    get: async (id) => {
      const row = await db.selectFrom("person").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : personOf(row);
    },
    byEmail: async (email) => {
      const row = await db.selectFrom("person").selectAll().where("email", "=", email).executeTakeFirst();
      return row === undefined ? null : personOf(row);
    },
    hold: (id) => holdPerson(context, db, id),
    create: (email, password) =>
      unlessTaken(
        () =>
          inTransaction(context, async (trx) => {
            const row = {
              id: PersonId.parse(`usr_${newUlid(context)}`),
              email,
              password,
              totp: null,
              totp_confirmed_at: null,
              totp_step: 0,
              created_at: clock.now(),
            };
            await trx.insertInto("person").values(row).execute();
            return personOf(row);
          }),
        null,
      ),
    setPassword: async (id, password) => {
      await change(id).set({ password }).execute();
    },
    setEmail: (id, email) =>
      unlessTaken(
        () =>
          inTransaction(context, async (trx) => {
            const changed = trx.updateTable("person").set({ email }).where("id", "=", id);
            return (await changed.executeTakeFirst()).numUpdatedRows === 1n;
          }),
        false,
      ),
    proposeSecondFactor: async (id, secret) => {
      const proposed = { totp: sealer.seal(totpOwner(id), secret), totp_step: 0 };
      await change(id).set(proposed).where("totp_confirmed_at", "is", null).execute();
    },
    secondFactor: async (id) => {
      const query = db.selectFrom("person").select(["totp", "totp_confirmed_at"]).where("id", "=", id);
      const row = await query.executeTakeFirst();
      if (row === undefined || row.totp === null) return null;
      return { secret: sealer.open(totpOwner(id), row.totp), isConfirmed: row.totp_confirmed_at !== null };
    },
    takeStep: async (id, step, confirm = false) => {
      const { numUpdatedRows } = await change(id)
        .set({ totp_step: step, ...(confirm ? { totp_confirmed_at: clock.now() } : {}) })
        .where("totp", "is not", null)
        .where("totp_step", "<", step)
        .$if(confirm, (query) => query.where("totp_confirmed_at", "is", null))
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    removeSecondFactor: (id) =>
      inTransaction(context, async (trx) => {
        const none = { totp: null, totp_confirmed_at: null, totp_step: 0 };
        await trx.updateTable("person").set(none).where("id", "=", id).execute();
        await trx.deleteFrom("recovery_code").where("person_id", "=", id).execute();
        await trx.updateTable("session").set({ second_factor: 0 }).where("person_id", "=", id).execute();
      }),
    setRecoveryCodes: (id, codes) =>
      inTransaction(context, async (trx) => {
        await trx.deleteFrom("recovery_code").where("person_id", "=", id).execute();
        const rows = codes.map((code) => ({
          person_id: id,
          hash: sealer.keyedHash(codeName(id, code)),
          used_at: null,
        }));
        await trx.insertInto("recovery_code").values(rows).execute();
      }),
    useRecoveryCode: async (id, code) => {
      const { numUpdatedRows } = await db
        .updateTable("recovery_code")
        .set({ used_at: clock.now() })
        .where("person_id", "=", id)
        .where("hash", "=", sealer.keyedHash(codeName(id, code)))
        .where("used_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    recoveryCodesLeft: async (id) => {
      const left = db
        .selectFrom("recovery_code")
        .select(({ fn }) => fn.countAll<number>().as("codes"))
        .where("person_id", "=", id)
        .where("used_at", "is", null);
      return (await left.executeTakeFirstOrThrow()).codes;
    },
  };
};
