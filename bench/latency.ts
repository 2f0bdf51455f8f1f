import { alertLatency } from "./alert-latency.ts";
import type { Bench, Measured, RunOptions } from "./bench.ts";
import { FEED } from "./feeds.ts";
import { flood } from "./flood.ts";
import { BESIDE, QUERY_PARAMETERS, queryLatencies } from "./query-latency.ts";
import { Subject } from "./subject.ts";

const SECONDS = 30;
const DIPS_PER_SECOND = 50;
const LIGHT = 100_000;
const FLOOD_SECONDS = 15;

const AT_LIGHT = "alert, at 100,000 readings/s";
const AT_HALF = "alert, at half of what goes through";

const alertsAt = async (name: string, readingsPerSecond: number, seconds: number): Promise<Measured> => {
  const subject = await Subject.start({ feed: FEED });
  try {
    const load = { readingsPerSecond, dipsPerSecond: DIPS_PER_SECOND, seconds };
    return { name, ...(await alertLatency(subject, load)) };
  } finally {
    await subject.end();
  }
};

/** Half of what goes through just before, which differs from hour to hour on a machine that is shared. */
const alertsAtHalf = async (seconds: number): Promise<Measured> => {
  const { "readings/s": through = 0 } = (await flood(FLOOD_SECONDS, { feed: FEED })).figures;
  const measured = await alertsAt(AT_HALF, Math.round(through / 2), seconds);
  return { ...measured, figures: { "went through before, readings/s": through, ...measured.figures } };
};

async function* round({ seconds, wants }: RunOptions): AsyncGenerator<Measured> {
  const length = seconds ?? SECONDS;
  if (wants(AT_LIGHT)) yield alertsAt(AT_LIGHT, LIGHT, length);
  if (wants(AT_HALF)) yield alertsAtHalf(length);
  if (wants(BESIDE)) yield* queryLatencies(FEED, seconds);
}

export const latency: Bench = {
  about:
    "Alert: from a frame sent to its `signal.failed` on `/v1/stream`, on the sender's clock. Queries: so many a second of " +
    "each kind, on time whether earlier ones have been answered or not, from when each was due to its whole answer, " +
    "beside a sender that sends as much as is taken. Each signal has 30 days of readings before, one every ten minutes " +
    "and, in the last hour, every minute. CPU beside queries is that of a million readings with them; one rule, one source.",
  parameters: {
    ...FEED,
    sources: 1,
    rules: 1,
    seconds: SECONDS,
    dipsPerSecond: DIPS_PER_SECOND,
    floodSecondsBefore: FLOOD_SECONDS,
    ...QUERY_PARAMETERS,
  },
  round,
};
