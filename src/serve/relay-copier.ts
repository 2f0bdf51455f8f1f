import type { ControlStore } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import { type RelayBatch, relayBatch } from "./relay-batch.ts";

const READ_ROWS = 500;

/** Where rows come from and where they go. */
export interface RelayEnds {
  readonly control: Pick<ControlStore, "outbox" | "locks">;
  readonly log: Pick<EventLog, "append" | "partitions">;
}

/** Settles when both appends have, so that a next try never overlaps this one. */
const append = async (log: RelayEnds["log"], { readings, sources }: RelayBatch): Promise<void> => {
  const appends = [
    ...(readings.length > 0 ? [log.append("readings", readings)] : []),
    ...(sources.length > 0 ? [log.append("sources", sources)] : []),
  ];
  for (const settled of await Promise.allSettled(appends)) {
    if (settled.status === "rejected") throw settled.reason;
  }
};

/** Copies row by row what the outbox has beyond `appended`, and tells it so. */
export const createCopier = (
  { control: { outbox }, log }: RelayEnds,
  reached: (position: number, rows: number) => void,
) => {
  let appended: number | null = null;
  let marked = 0;
  const mark = async (position: number) => {
    if (position === marked) return;
    await outbox.markRelayed(position);
    marked = position;
  };
  return {
    /** One batch; false when there was nothing to copy. What was appended is not appended again for a mark that failed. */
    step: async (): Promise<boolean> => {
      if (appended === null) {
        appended = marked = await outbox.relayed();
        reached(appended, 0);
      }
      await mark(appended);
      const batch = relayBatch(await outbox.read(appended, READ_ROWS), log.partitions("readings"));
      if (batch === null) return false;
      await append(log, batch);
      appended = batch.last;
      reached(appended, batch.rows);
      await mark(appended);
      return true;
    },
  };
};
