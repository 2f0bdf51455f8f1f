import { type Bench, type Measured, type RunOptions, rounded, wait } from "./bench.ts";
import { FEED } from "./feeds.ts";
import { recover, restart } from "./restart.ts";
import { Sampler } from "./sampler.ts";
import { Subject } from "./subject.ts";

const SIGNALS = 100_000;
const READINGS_PER_SECOND = 200_000;
/** Long enough for a snapshot, which is made every 30 s. */
const SECONDS = 40;

async function* round({ seconds }: RunOptions): AsyncGenerator<Measured> {
  const subject = await Subject.start({ feed: { ...FEED, signals: SIGNALS } });
  try {
    const [sampler, from] = [new Sampler(subject.watched()), performance.now()];
    await subject.pace(READINGS_PER_SECOND);
    await subject.allKnown();
    const known = rounded((performance.now() - from) / 1_000, 2);
    const { figures } = await subject.flow(seconds ?? SECONDS);
    // Getting to know so many signals may take more than knowing them.
    const peaks = sampler.peaks();
    const killed = await recover(subject, READINGS_PER_SECOND);
    await wait(2);
    const name = `${SIGNALS} signals`;
    yield {
      name,
      figures: { "s to know them": known, ...figures, ...peaks, ...killed, ...(await restart(subject)) },
    };
  } finally {
    await subject.end();
  }
}

export const recovery: Bench = {
  about:
    "A service with 100,000 signals is killed (SIGKILL) amid a flow of readings and started again at once; then it is " +
    "shut down (SIGTERM) and started once more. Seconds to be ready are those from the start of the process.",
  parameters: { ...FEED, signals: SIGNALS, readingsPerSecond: READINGS_PER_SECOND, seconds: SECONDS },
  round,
};
