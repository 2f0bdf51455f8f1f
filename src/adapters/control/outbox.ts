import type { Kysely } from "kysely";
import type { Outbox, OutboxRow } from "../../ports/control-store.ts";
import { type ControlContext, type ControlTransaction, slices } from "./engine.ts";
import type { ControlTables } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

type Entry = OutboxRow["entry"];

/**
 * Adds rows and gives the position of the last. Call it last in a transaction: the counter's row stays locked until
 * the commit, which makes positions follow the order of commits.
 */
export const writeOutbox = async (trx: ControlTransaction, entries: readonly Entry[]): Promise<number> => {
  const { position: last } = await trx
    .updateTable("outbox_counter")
    .set((eb) => ({ position: eb("position", "+", entries.length) }))
    .where("name", "=", "written")
    .returning("position")
    .executeTakeFirstOrThrow();
  let position = last - entries.length;
  for (const slice of slices(entries)) {
    const rows = slice.map((entry) => ({ position: ++position, entry: JSON.stringify(entry) }));
    await trx.insertInto("outbox").values(rows).execute();
  }
  return last;
};

const relayedOf = async (db: Kysely<ControlTables>): Promise<number> => {
  const row = await db
    .selectFrom("outbox_counter")
    .select("position")
    .where("name", "=", "relayed")
    .executeTakeFirstOrThrow();
  return row.position;
};

export const createOutbox = ({ db }: ControlContext): Outbox => ({
  relayed: () => relayedOf(db),
  read: async (after, limit) => {
    const rows = await db
      .selectFrom("outbox")
      .selectAll()
      .where("position", ">", after)
      .orderBy("position")
      .limit(limit)
      .execute();
    return rows.map(({ position, entry }) => ({ position, entry: JSON.parse(entry) }));
  },
  markRelayed: (position) =>
    inTransaction({ db }, async (trx) => {
      await trx
        .updateTable("outbox_counter")
        .set({ position })
        .where("name", "=", "relayed")
        .where("position", "<", position)
        .execute();
      await trx.deleteFrom("outbox").where("position", "<=", position).execute();
    }),
});
