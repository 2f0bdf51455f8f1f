import type { Clock } from "../../ports/clock.ts";
import type { Availability } from "./availability.ts";

const EVERY_MS = 1000;

/**
 * After a failure finds out, about once a second, whether a write is possible again: no other may come while whoever
 * asks for health is told that none is. `write` changes nothing. Gives what ends it.
 */
export const startWriteProbe = (
  availability: Pick<Availability, "failure" | "recovered">,
  write: () => Promise<unknown>,
  clock: Clock,
): (() => Promise<void>) => {
  let running: Promise<void> | null = null;
  const probe = async () => {
    try {
      await write();
      availability.recovered();
    } catch {
      // It has been counted, and is told by health until a write gets through.
    } finally {
      running = null;
    }
  };
  const cancel = clock.every(EVERY_MS, () => {
    if (availability.failure !== null) running ??= probe();
  });
  return async () => {
    cancel();
    await running;
  };
};
