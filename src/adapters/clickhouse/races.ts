import { ClickHouseError } from "@clickhouse/client";
import { ENGINE, fullJitterMs } from "../../domain/backoff.ts";
import type { Surroundings } from "../../ports/surroundings.ts";

/** What one may be told when another does the same at the same time (src/Common/ErrorCodes.cpp). */
const RACE_CODES = new Set([
  "57", // TABLE_ALREADY_EXISTS
  "60", // UNKNOWN_TABLE: the other is further on, and has done away with it
  "82", // DATABASE_ALREADY_EXISTS
  "253", // REPLICA_ALREADY_EXISTS
  "517", // CANNOT_ASSIGN_ALTER
]);
const TRIES_MAX = 6;

const isRace = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof ClickHouseError && RACE_CODES.has(error.cause.code);

/** Does what several processes may do at once, and what may be done twice, again when another was in its way. */
export const tryAgainAfterRaces = async (
  { clock, entropy }: Surroundings,
  task: () => Promise<void>,
): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await task();
    } catch (error) {
      if (attempt === TRIES_MAX || !isRace(error)) throw error;
    }
    await clock.sleep(fullJitterMs(ENGINE, attempt, entropy.random()));
  }
};
