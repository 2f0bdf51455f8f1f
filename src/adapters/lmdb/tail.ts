import { setImmediate as endOfTurn } from "node:timers/promises";
import type { LogRecord } from "../../domain/log-record.ts";
import { DEFAULT_LIMITS } from "../event-log/read-limits.ts";
import { type Partition, Position } from "./partition.ts";

async function* batches(position: Position, signal: AbortSignal): AsyncGenerator<readonly LogRecord[]> {
  for (;;) {
    const batch = await position.next(DEFAULT_LIMITS, signal);
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
