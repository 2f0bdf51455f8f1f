import type { SourceId } from "../../../schemas/common.ts";
import type { SourceCreate } from "../../../schemas/source.ts";
import type { SourceStatus, Sources } from "../../ports/control-store.ts";
import type { ControlContext, ControlTransaction } from "./engine.ts";
import type { SourceStatusRow } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

const statusOf = (row: Omit<SourceStatusRow, "source_id">): SourceStatus => ({
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

const NOTHING_PUSHED = "nothing has been pushed to it yet";

/** Before anybody has said anything. */
const unknownStatus = ({ enabled, type }: SourceCreate): SourceStatus => ({
  state: !enabled ? "disabled" : type === "push" ? "waiting" : "connecting",
  stateReason: enabled && type === "push" ? NOTHING_PUSHED : null,
  lastMessageAt: null,
  counters: { messages: 0, readings: 0, skipped: 0, rejected: 0, reconnects: 0 },
});

/** What nobody runs is told by those who take its messages, and only when there are some. */
export const statusToShow = (settings: SourceCreate, row: SourceStatusRow | undefined): SourceStatus => {
  if (row === undefined) return unknownStatus(settings);
  const status = statusOf(row);
  return settings.type === "push" && !settings.enabled
    ? { ...status, state: "disabled", stateReason: null }
    : status;
};

/** Locks the source, so that it stays and one writer at a time numbers its rejections; false when it is gone. */
export const lockSource = async ({ engine }: ControlContext, trx: ControlTransaction, id: SourceId) => {
  const query = trx.selectFrom("source").select("id").where("id", "=", id);
  return (await query.$if(engine.rowLocks, (row) => row.forUpdate()).executeTakeFirst()) !== undefined;
};

const findStatus = async (db: ControlContext["db"] | ControlTransaction, id: SourceId) => {
  const row = await db.selectFrom("source_status").selectAll().where("source_id", "=", id).executeTakeFirst();
  return row === undefined ? null : statusOf(row);
};

const claim = (context: ControlContext, id: SourceId): ReturnType<Sources["claim"]> =>
  inTransaction(context, async (trx) => {
    if (!(await lockSource(context, trx, id))) return null;
    const { generation } = await trx
      .insertInto("source_run")
      .values({ source_id: id, generation: 1 })
      .onConflict((conflict) =>
        conflict
          .column("source_id")
          .doUpdateSet((stored) => ({ generation: stored("source_run.generation", "+", 1) })),
      )
      .returning("generation")
      .executeTakeFirstOrThrow();
    return { generation, status: await findStatus(trx, id) };
  });

/** Does `task` for who claimed the source last, and does nothing for who claimed it before; or when it is gone. */
const asClaimed = (
  context: ControlContext,
  id: SourceId,
  generation: number,
  task: (trx: ControlTransaction) => Promise<unknown>,
): Promise<boolean> =>
  inTransaction(context, async (trx) => {
    if (!(await lockSource(context, trx, id))) return true;
    const query = trx.selectFrom("source_run").select("generation").where("source_id", "=", id);
    if ((await query.executeTakeFirst())?.generation !== generation) return false;
    await task(trx);
    return true;
  });

const saveStatus = (
  context: ControlContext,
  ...[id, status, generation]: Parameters<Sources["saveStatus"]>
): Promise<boolean> =>
  asClaimed(context, id, generation, (trx) => {
    const { state, stateReason, lastMessageAt, counters } = status;
    const row = { state, state_reason: stateReason, last_message_at: lastMessageAt, ...counters };
    return trx
      .insertInto("source_status")
      .values({ source_id: id, ...row })
      .onConflict((conflict) => conflict.column("source_id").doUpdateSet(row))
      .execute();
  });

const addStatus = (context: ControlContext, id: SourceId, status: SourceStatus): Promise<void> =>
  inTransaction(context, async (trx) => {
    if (!(await lockSource(context, trx, id))) return;
    const { state, stateReason, lastMessageAt, counters } = status;
    const row = { state, state_reason: stateReason };
    await trx
      .insertInto("source_status")
      .values({ source_id: id, ...row, last_message_at: lastMessageAt, ...counters })
      .onConflict((conflict) =>
        conflict.column("source_id").doUpdateSet((stored) => ({
          ...row,
          ...(lastMessageAt === null ? {} : { last_message_at: lastMessageAt }),
          messages: stored("source_status.messages", "+", counters.messages),
          readings: stored("source_status.readings", "+", counters.readings),
          skipped: stored("source_status.skipped", "+", counters.skipped),
          rejected: stored("source_status.rejected", "+", counters.rejected),
          reconnects: stored("source_status.reconnects", "+", counters.reconnects),
        })),
      )
      .execute();
  });

const savePosition = (
  context: ControlContext,
  ...[id, position, generation]: Parameters<Sources["savePosition"]>
): Promise<boolean> =>
  asClaimed(context, id, generation, (trx) =>
    trx
      .insertInto("source_position")
      .values({ source_id: id, position })
      .onConflict((conflict) => conflict.column("source_id").doUpdateSet({ position }))
      .execute(),
  );

/** What the process that runs a source tells of it. */
export const createSourceStatus = (
  context: ControlContext,
): Pick<Sources, "status" | "claim" | "saveStatus" | "addStatus" | "position" | "savePosition"> => ({
  status: (id) => findStatus(context.db, id),
  claim: (id) => claim(context, id),
  saveStatus: (...saved) => saveStatus(context, ...saved),
  addStatus: (id, status) => addStatus(context, id, status),
  position: async (id) => {
    const query = context.db.selectFrom("source_position").select("position").where("source_id", "=", id);
    return (await query.executeTakeFirst())?.position ?? null;
  },
  savePosition: (...saved) => savePosition(context, ...saved),
});
