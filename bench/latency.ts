import { alertLatency } from "./alert-latency.ts";
import type { Bench, Measured, RunOptions } from "./bench.ts";
import { FEED } from "./feeds.ts";
import { BESIDE, queryLatencies } from "./query-latency.ts";
import { keptResults } from "./results.ts";
import { Subject } from "./subject.ts";

const SECONDS = 30;
const DIPS_PER_SECOND = 50;
const LIGHT = 100_000;
/** Half of what the whole way is to carry, where it has not been measured yet. */
const HALF_OF_GOAL = 400_000;

const halfOfMeasured = (): number => {
  const measured = keptResults().find(({ bench }) => bench === "end-to-end");
  const flood = measured?.cases.find(({ name }) => name === "embedded, 100 a frame");
  const readings = flood?.figures["readings/s"]?.median;
  return readings === undefined ? HALF_OF_GOAL : Math.round(readings / 2);
};

const alerts = async (name: string, readingsPerSecond: number, seconds: number): Promise<Measured> => {
  const subject = await Subject.start({ feed: FEED });
  try {
    const load = { readingsPerSecond, dipsPerSecond: DIPS_PER_SECOND, seconds };
    return { name, figures: await alertLatency(subject, load) };
  } finally {
    await subject.end();
  }
};

async function* round({ seconds, wants }: RunOptions): AsyncGenerator<Measured> {
  const length = seconds ?? SECONDS;
  const loads = {
    "alert, at 100,000 readings/s": LIGHT,
    "alert, at half of what goes through": halfOfMeasured(),
  };
  for (const [name, load] of Object.entries(loads)) if (wants(name)) yield alerts(name, load, length);
  if (wants(BESIDE)) yield* await queryLatencies(FEED, length);
}

export const latency: Bench = {
  about:
    "Alert: from a frame sent to its `signal.failed` on `/v1/stream`, on the sender's clock. Queries: one of each kind " +
    "every 50 ms, from request to whole answer, beside a sender that sends as much as is taken; each signal has 30 days " +
    "of readings, one every ten minutes, before.",
  parameters: { ...FEED, seconds: SECONDS, dipsPerSecond: DIPS_PER_SECOND },
  round,
};
