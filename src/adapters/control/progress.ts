import type { RecordProgress } from "../../ports/control-store.ts";
import type { ControlContext } from "./engine.ts";

export const createRecordProgress = ({ db }: ControlContext): RecordProgress => {
  const find = async (logId: string, topic: string, partition: number) => {
    const row = await db
      .selectFrom("record_progress")
      .select(["done", "pending_end"])
      .where("log_id", "=", logId)
      .where("topic", "=", topic)
      .where("partition", "=", partition)
      .executeTakeFirst();
    return row === undefined ? null : { done: row.done, pendingEnd: row.pending_end };
  };
  return {
    read: async (logId, topic, partition) => {
      const found = await find(logId, topic, partition);
      if (found !== null) return found;
      await db
        .insertInto("record_progress")
        .values({ log_id: logId, topic, partition, done: 0, pending_end: null })
        .onConflict((conflict) => conflict.columns(["log_id", "topic", "partition"]).doNothing())
        .execute();
      return (await find(logId, topic, partition)) ?? { done: 0, pendingEnd: null };
    },
    advance: async (logId, topic, partition, from, to) => {
      const { numUpdatedRows } = await db
        .updateTable("record_progress")
        .set({ done: to.done, pending_end: to.pendingEnd })
        .where("log_id", "=", logId)
        .where("topic", "=", topic)
        .where("partition", "=", partition)
        .where("done", "=", from.done)
        .where("pending_end", "is not distinct from", from.pendingEnd)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
  };
};
