import { type ControlContext, type ControlTransaction, TransactionConflictError } from "./engine.ts";

const TRIES_MAX = 5;

/** `work` in a transaction, from its start again when the engine gave it up: so it changes nothing but the database. */
export const inTransaction = async <T>(
  { db }: Pick<ControlContext, "db">,
  work: (trx: ControlTransaction) => Promise<T>,
): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (!(error instanceof TransactionConflictError) || attempt === TRIES_MAX) throw error;
    }
  }
};
