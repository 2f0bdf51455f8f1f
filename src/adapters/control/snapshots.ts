import type { Kysely, Selectable } from "kysely";
import type { SnapshotSeal, Snapshots } from "../../ports/control-store.ts";
import type { ControlContext, ControlTransaction } from "./engine.ts";
import type { ControlTables } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

export const BUCKET_BYTES_MAX = 512 * 1024;
/** Buckets deleted in one statement: at most 4 MiB. */
const DELETE_STEP = 8;

const sealOf = ({ log_id, ...rest }: Selectable<ControlTables["snapshot_seal"]>): SnapshotSeal => ({
  ...rest,
  logId: log_id,
});

/** The seal that is `back` behind the newest. */
const sealAt = async (db: Kysely<ControlTables>, partition: number, back: number) => {
  const row = await db
    .selectFrom("snapshot_seal")
    .selectAll()
    .where("partition", "=", partition)
    .orderBy("generation", "desc")
    .limit(1)
    .offset(back)
    .executeTakeFirst();
  return row === undefined ? null : sealOf(row);
};

/** One statement: the newest generation becomes `next` only if it still is `previous`. */
const swapHead = async (
  trx: ControlTransaction,
  partition: number,
  previous: number | null,
  next: number,
): Promise<boolean> => {
  if (previous === null) {
    const add = trx.insertInto("snapshot_head").values({ partition, generation: next });
    const made = await add
      .onConflict((conflict) => conflict.column("partition").doNothing())
      .executeTakeFirst();
    return made.numInsertedOrUpdatedRows === 1n;
  }
  const { numUpdatedRows } = await trx
    .updateTable("snapshot_head")
    .set({ generation: next })
    .where("partition", "=", partition)
    .where("generation", "=", previous)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
};

/** Deletes buckets below `generation`, sealed or left over, a few at a time so that others get their turn. */
const forgetBelow = async ({ db }: ControlContext, partition: number, generation: number) => {
  for (;;) {
    const old = await db
      .selectFrom("snapshot_bucket")
      .select(["generation", "bucket"])
      .where("partition", "=", partition)
      .where("generation", "<", generation)
      .limit(DELETE_STEP)
      .execute();
    if (old.length === 0) return;
    await db
      .deleteFrom("snapshot_bucket")
      .where("partition", "=", partition)
      .where((eb) => eb.or(old.map((row) => eb.and({ generation: row.generation, bucket: row.bucket }))))
      .execute();
  }
};

const seal = async (context: ControlContext, sealed: SnapshotSeal, previous: number | null) => {
  const { logId, ...rest } = sealed;
  if (previous !== null && sealed.generation <= previous) {
    throw new RangeError(`generation ${sealed.generation} does not follow ${previous}`);
  }
  const swapped = await inTransaction(context, async (trx) => {
    if (!(await swapHead(trx, sealed.partition, previous, sealed.generation))) return false;
    await trx
      .insertInto("snapshot_seal")
      .values({ ...rest, log_id: logId })
      .execute();
    await trx
      .deleteFrom("snapshot_seal")
      .where("partition", "=", sealed.partition)
      .where("generation", "<", previous ?? sealed.generation)
      .execute();
    return true;
  });
  if (swapped) await forgetBelow(context, sealed.partition, previous ?? sealed.generation);
  return swapped;
};

export const createSnapshots = (context: ControlContext): Snapshots => ({
  newest: (partition) => sealAt(context.db, partition, 0),
  lastButOne: (partition) => sealAt(context.db, partition, 1),
  bucket: async (partition, generation, index) => {
    const row = await context.db
      .selectFrom("snapshot_bucket")
      .select("bytes")
      .where("partition", "=", partition)
      .where("generation", "=", generation)
      .where("bucket", "=", index)
      .executeTakeFirst();
    return row?.bytes ?? null;
  },
  writeBucket: async (partition, generation, index, bytes) => {
    if (bytes.length > BUCKET_BYTES_MAX) throw new RangeError(`a bucket of ${bytes.length} bytes`);
    await context.db
      .insertInto("snapshot_bucket")
      .values({ partition, generation, bucket: index, bytes })
      .onConflict((conflict) =>
        conflict.columns(["partition", "generation", "bucket"]).doUpdateSet({ bytes }),
      )
      .execute();
  },
  seal: (sealed, previous) => seal(context, sealed, previous),
  partitions: async () => {
    const rows = await context.db
      .selectFrom("snapshot_head")
      .select("partition")
      .orderBy("partition")
      .execute();
    return rows.map(({ partition }) => partition);
  },
});
