import { type Kysely, sql } from "kysely";
import { type ControlContext, type ControlTransaction, TransactionConflictError } from "./engine.ts";
import type { ControlTables } from "./tables.ts";

const TRIES_MAX = 5;

const isTransaction = (db: Kysely<ControlTables>): db is ControlTransaction => db.isTransaction;

/** So that what fails in the middle of a transaction takes nothing but itself along. */
const withSavepoint = async <T>(
  trx: ControlTransaction,
  work: (trx: ControlTransaction) => Promise<T>,
): Promise<T> => {
  await sql`savepoint step`.execute(trx);
  try {
    const done = await work(trx);
    await sql`release savepoint step`.execute(trx);
    return done;
  } catch (error) {
    // A transaction that the engine gave up has no savepoints left.
    if (!(error instanceof TransactionConflictError)) await sql`rollback to savepoint step`.execute(trx);
    throw error;
  }
};

/**
 * `work` in a transaction, from its start again when the engine gave it up: so it changes nothing but the database. In a
 * transaction that is under way it is a part of it, which undoes itself when it throws.
 */
export const inTransaction = async <T>(
  { db }: Pick<ControlContext, "db">,
  work: (trx: ControlTransaction) => Promise<T>,
): Promise<T> => {
  if (isTransaction(db)) return await withSavepoint(db, work);
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (!(error instanceof TransactionConflictError) || attempt === TRIES_MAX) throw error;
    }
  }
};
