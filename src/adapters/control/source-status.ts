import type { SourceId } from "../../../schemas/common.ts";
import type { Rejection } from "../../../schemas/source.ts";
import { decodeCursor } from "../../domain/cursor.ts";
import type { SourceStatus, Sources } from "../../ports/control-store.ts";
import { BeforeNumber, pageOf } from "./cursor.ts";
import { type ControlContext, type ControlTransaction, slices } from "./engine.ts";
import type { SourceStatusRow } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

const REJECTIONS_KEPT = 1000;

export const statusOf = (row: Omit<SourceStatusRow, "source_id">): SourceStatus => ({
  state: row.state,
  stateReason: row.state_reason,
  lastMessageAt: row.last_message_at,
  counters: {
    messages: row.messages,
    readings: row.readings,
    skipped: row.skipped,
    rejected: row.rejected,
    reconnects: row.reconnects,
  },
});

/** Before ingest has said anything. */
export const unknownStatus = (enabled: boolean): SourceStatus => ({
  state: enabled ? "connecting" : "disabled",
  stateReason: null,
  lastMessageAt: null,
  counters: { messages: 0, readings: 0, skipped: 0, rejected: 0, reconnects: 0 },
});

/** Locks the source, so that it stays and one writer at a time numbers its rejections; false when it is gone. */
const lockSource = async ({ engine }: ControlContext, trx: ControlTransaction, id: SourceId) => {
  const query = trx.selectFrom("source").select("id").where("id", "=", id);
  return (await query.$if(engine.rowLocks, (row) => row.forUpdate()).executeTakeFirst()) !== undefined;
};

const saveStatus = (context: ControlContext, id: SourceId, status: SourceStatus): Promise<void> =>
  inTransaction(context, async (trx) => {
    if (!(await lockSource(context, trx, id))) return;
    const { state, stateReason, lastMessageAt, counters } = status;
    const row = { state, state_reason: stateReason, last_message_at: lastMessageAt, ...counters };
    await trx
      .insertInto("source_status")
      .values({ source_id: id, ...row })
      .onConflict((conflict) => conflict.column("source_id").doUpdateSet(row))
      .execute();
  });

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
  const item = (row: { rejection: string }): Rejection => JSON.parse(row.rejection);
  return pageOf(rows, limit, item, ({ number }) => ({ number }));
};

/** What the ingest worker tells of a running source. */
export const createSourceStatus = (
  context: ControlContext,
): Pick<Sources, "status" | "saveStatus" | "addRejections" | "rejections"> => ({
  status: async (id) => {
    const query = context.db.selectFrom("source_status").selectAll().where("source_id", "=", id);
    const row = await query.executeTakeFirst();
    return row === undefined ? null : statusOf(row);
  },
  saveStatus: (id, status) => saveStatus(context, id, status),
  addRejections: async (id, items) => {
    if (items.length > 0) await addRejections(context, id, items);
  },
  rejections: (...request) => rejections(context, ...request),
});
