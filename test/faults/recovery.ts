import { until } from "../support/until.ts";
import { EACH, type Trial } from "./trial.ts";

const MAX_MS = 120_000;
const SHARES = { ingest: EACH, evaluate: EACH, record: EACH, deliver: EACH };

/** Resolves when every partition has its reader again, every source is connected, and what came meanwhile is done. */
export const recovered = async ({ fleet, feeds, groups }: Trial): Promise<void> => {
  const stillThere = () => {
    const [lost] = fleet.lost;
    if (lost !== undefined)
      throw new Error(`${lost.role} ended by itself:\n${lost.service.stderr.slice(-5_000)}`);
    return true;
  };
  const assigned = () => groups.areAssigned(SHARES).catch(() => false);
  await until("every partition to be assigned", async () => stillThere() && (await assigned()), MAX_MS);
  await until(
    "every source to be connected",
    () => stillThere() && feeds.every((feed) => feed.isConnected),
    MAX_MS,
  );
  const ends = await groups.ends();
  await until(
    "the log to be evaluated and recorded",
    async () => stillThere() && (await groups.areBehind(ends).catch(() => false)),
    MAX_MS,
  );
};
