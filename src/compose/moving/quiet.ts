import { GROUPS } from "../../ports/event-log.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import type { Engines } from "../engines.ts";
import { StartError } from "../start-error.ts";

/** Longer than a worker that was killed a moment ago is still counted, and holds what it held. */
const WAIT_MAX_MS = 10_000;
const EVERY_MS = 500;
/** What a serve worker holds, see relay-turns.ts. */
const RELAY = "relay";

const atWork = async ({ log, control }: Engines): Promise<string[]> => {
  const found: string[] = [];
  const lock = await control.locks.tryLock(RELAY);
  await lock?.release();
  if (lock === null) found.push("serve");
  for (const group of Object.values(GROUPS)) if ((await log.members(group)) > 0) found.push(group);
  return found;
};

/** Throws StartError while workers of this installation run in other processes: what they do now would be left out. */
export const refuseOthersAtWork = async (
  engines: Engines,
  { clock }: Pick<Surroundings, "clock">,
): Promise<void> => {
  const deadline = clock.monotonic() + WAIT_MAX_MS;
  for (;;) {
    const found = await atWork(engines);
    if (found.length === 0) return;
    if (clock.monotonic() > deadline)
      throw new StartError(
        `Workers of this installation are running: ${found.join(", ")}.\nStop all of them, everywhere, and run this again.`,
      );
    await clock.sleep(EVERY_MS);
  }
};
