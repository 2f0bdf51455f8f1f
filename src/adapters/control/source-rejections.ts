import type { SourceId } from "../../../schemas/common.ts";
import type { Rejection } from "../../../schemas/source.ts";
import { decodeCursor } from "../../domain/cursor.ts";
import type { Sources } from "../../ports/control-store.ts";
import { BeforeNumber, pageOf } from "./cursor.ts";
import { type ControlContext, type ControlTransaction, slices } from "./engine.ts";
import { lockSource } from "./source-status.ts";
import { inTransaction } from "./transaction.ts";

const REJECTIONS_KEPT = 1000;

const rejectionOf = (row: { rejection: string }): Rejection => JSON.parse(row.rejection);

const newestNumber = async (trx: ControlTransaction, id: SourceId): Promise<number> => {
  const row = await trx
    .selectFrom("source_rejection")
    .select("number")
    .where("source_id", "=", id)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.number ?? 0;
};

const addRejections = (context: ControlContext, id: SourceId, rejections: readonly Rejection[]) =>
  inTransaction(context, async (trx) => {
    if (!(await lockSource(context, trx, id))) return;
    let number = await newestNumber(trx, id);
    for (const slice of slices(rejections.slice(-REJECTIONS_KEPT))) {
      const rows = slice.map((rejection) => ({
        source_id: id,
        number: ++number,
        rejection: JSON.stringify(rejection),
      }));
      await trx.insertInto("source_rejection").values(rows).execute();
    }
    await trx
      .deleteFrom("source_rejection")
      .where("source_id", "=", id)
      .where("number", "<=", number - REJECTIONS_KEPT)
      .execute();
  });

const rejections = async (
  { db }: ControlContext,
  ...[accountId, id, { limit, cursor }]: Parameters<Sources["rejections"]>
): ReturnType<Sources["rejections"]> => {
  const before = cursor === undefined ? null : decodeCursor(BeforeNumber, cursor).number;
  const owned = db.selectFrom("source").select("id").where("id", "=", id).where("account_id", "=", accountId);
  if ((await owned.executeTakeFirst()) === undefined) return null;
  const rows = await db
    .selectFrom("source_rejection")
    .select(["number", "rejection"])
    .where("source_id", "=", id)
    .$if(before !== null, (query) => query.where("number", "<", before))
    .orderBy("number", "desc")
    .limit(limit + 1)
    .execute();
  return pageOf(rows, limit, rejectionOf, ({ number }) => ({ number }));
};

const keptRejections = async (
  { db }: ControlContext,
  ...[id, after, limit]: Parameters<Sources["keptRejections"]>
): ReturnType<Sources["keptRejections"]> => {
  const rows = await db
    .selectFrom("source_rejection")
    .select(["number", "rejection"])
    .where("source_id", "=", id)
    .where("number", ">", after)
    .orderBy("number")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ number: row.number, rejection: rejectionOf(row) }));
};

const removeRejections = async ({ db }: ControlContext, id: SourceId, numbers: readonly number[]) => {
  for (const slice of slices(numbers)) {
    await db
      .deleteFrom("source_rejection")
      .where("source_id", "=", id)
      .where("number", "in", slice)
      .execute();
  }
};

/** What could not be mapped of a source's messages. */
export const createSourceRejections = (
  context: ControlContext,
): Pick<Sources, "addRejections" | "rejections" | "keptRejections" | "removeRejections"> => ({
  addRejections: async (id, items) => {
    if (items.length > 0) await addRejections(context, id, items);
  },
  rejections: (...request) => rejections(context, ...request),
  keptRejections: (...request) => keptRejections(context, ...request),
  removeRejections: (id, numbers) => removeRejections(context, id, numbers),
});
