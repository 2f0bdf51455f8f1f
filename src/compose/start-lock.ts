import type { ControlStore } from "../ports/control-store.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import { StartError } from "./start-error.ts";

const NAME = "start";
const EVERY_MS = 100;
const WAIT_MAX_MS = 60_000;

/**
 * Does what only one of the processes that start together may do at a time; the others wait for their turn. `lost` is
 * aborted when another may have taken its turn meanwhile: what is not done by then must not be done.
 */
export const inTurn = async <T>(
  { locks }: Pick<ControlStore, "locks">,
  { clock }: Pick<Surroundings, "clock">,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<T> => {
  const deadline = clock.monotonic() + WAIT_MAX_MS;
  for (let lock = await locks.tryLock(NAME); ; lock = await locks.tryLock(NAME)) {
    if (lock !== null) {
      try {
        return await work(lock.lost);
      } finally {
        await lock.release();
      }
    }
    if (clock.monotonic() > deadline)
      throw new StartError(
        `Another process of this installation has been starting for ${WAIT_MAX_MS / 1_000} s.\nLook at its output, or stop it, and start this one again.`,
      );
    await clock.sleep(EVERY_MS);
  }
};
