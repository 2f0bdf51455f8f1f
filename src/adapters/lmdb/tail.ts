import { setImmediate as endOfTurn } from "node:timers/promises";
import type { LogRecord } from "../../domain/log-record.ts";
import { BATCH_BYTES, BATCH_RECORDS, type Partition, Position } from "./partition.ts";

const LIMITS = { bytes: BATCH_BYTES, records: BATCH_RECORDS };

async function* batches(position: Position, signal: AbortSignal): AsyncGenerator<readonly LogRecord[]> {
  for (;;) {
    const batch = await position.next(LIMITS, signal);
    if (batch.length === 0) return;
    yield batch;
    await endOfTurn();
  }
}

/** Batches from `from` on. The place is taken at once, not at the first `next`: an append right after the call is seen. */
export const tailOf = (
  partition: Partition,
  from: number | "end",
  signal: AbortSignal,
): AsyncIterable<readonly LogRecord[]> =>
  batches(new Position(partition, from === "end" ? partition.end : from), signal);
