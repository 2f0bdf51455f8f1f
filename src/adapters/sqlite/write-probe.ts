import { CompiledQuery } from "kysely";
import type { Clock } from "../../ports/clock.ts";
import type { ThreadParts } from "./dialect.ts";

const EVERY_MS = 1000;
/** Writes the file's header as it is. */
const WRITE = CompiledQuery.raw("pragma user_version = 0");

/**
 * After a failure finds out, about once a second, whether a write is possible again: no other may come while whoever
 * asks for health is told that none is. Gives what ends it.
 */
export const startWriteProbe = (
  { connection, mutex, failures }: ThreadParts,
  clock: Clock,
): (() => Promise<void>) => {
  let running: Promise<void> | null = null;
  const write = async () => {
    try {
      await mutex.runExclusive(() => connection.executeQuery(WRITE));
      failures.recovered();
    } catch {
      // It has been counted, and is told by health until a write gets through.
    } finally {
      running = null;
    }
  };
  const cancel = clock.every(EVERY_MS, () => {
    if (failures.isFailing && !mutex.isLocked()) running ??= write();
  });
  return async () => {
    cancel();
    await running;
  };
};
