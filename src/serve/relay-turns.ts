import type { Clock } from "../ports/clock.ts";
import type { HeldLock } from "../ports/control-store.ts";
import { createCopier, type RelayEnds } from "./relay-copier.ts";

const NAME = "relay";
/** How soon another takes over from one that has died. */
const TRY_EVERY_MS = 500;

interface Lead {
  readonly lock: HeldLock;
  readonly copier: ReturnType<typeof createCopier>;
}

/**
 * Of all processes one copies, and the others look how far it got. One that was frozen and wakes may finish the batch
 * it was at beside its successor: what it appends again is ignored by revision.
 */
export const createTurns = (ends: RelayEnds & { readonly clock: Clock }, reached: Reached) => {
  const { control, clock } = ends;
  let lead: Lead | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  const tryToLead = async (): Promise<void> => {
    if (clock.monotonic() - triedAt < TRY_EVERY_MS) return;
    triedAt = clock.monotonic();
    const lock = await control.locks.tryLock(NAME);
    if (lock !== null) lead = { lock, copier: createCopier(ends, reached) };
  };
  return {
    get leads(): boolean {
      return lead !== null;
    },
    /** False when there was nothing to copy, or it is another's to do. */
    step: async (): Promise<boolean> => {
      if (lead?.lock.lost.aborted) lead = null;
      if (lead === null) await tryToLead();
      if (lead !== null) return lead.copier.step();
      reached(await control.outbox.relayed(), 0);
      return false;
    },
    stop: async (): Promise<void> => {
      await lead?.lock.release();
    },
  };
};

type Reached = (position: number, rows: number) => void;
