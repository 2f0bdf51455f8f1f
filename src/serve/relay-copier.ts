import type { ControlStore, OutboxRow } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import { type RelayBatch, relayBatch } from "./relay-batch.ts";

const READ_ROWS = 5_000;
/** While there is more to copy, so many rows share a mark: another relay would append as many again. */
const MARK_ROWS = 5_000;

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
  const start = async (): Promise<number> => {
    marked = await outbox.relayed();
    reached(marked, 0);
    return marked;
  };
  const mark = async (position: number) => {
    if (position === marked) return;
    await outbox.markRelayed(position);
    marked = position;
  };
  /** As many appends as the rows need; how far it got counts also when a later one fails. */
  const copy = async (rows: readonly OutboxRow[]): Promise<void> => {
    for (let from = 0; from < rows.length; ) {
      const batch = relayBatch(rows.slice(from), log.partitions("readings"));
      if (batch === null) return;
      await append(log, batch);
      from += batch.rows;
      appended = batch.last;
      reached(appended, batch.rows);
    }
  };
  return {
    /** Some rows; false when there was nothing to copy. What was appended is not appended again for a mark that failed. */
    step: async (): Promise<boolean> => {
      appended ??= await start();
      const rows = await outbox.read(appended, READ_ROWS);
      await copy(rows);
      if (rows.length < READ_ROWS || appended - marked >= MARK_ROWS) await mark(appended);
      return rows.length > 0;
    },
  };
};
