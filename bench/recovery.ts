import { type Bench, type Figures, type Measured, type RunOptions, rounded, wait } from "./bench.ts";
import { FEED } from "./feeds.ts";
import { recover, restart } from "./restart.ts";
import { Sampler } from "./sampler.ts";
import { Subject } from "./subject.ts";

const SIGNALS = 100_000;
const READINGS_PER_SECOND = 200_000;
/** Long enough for a snapshot, which is made every 30 s. */
const SECONDS = 40;

const measure = async (seconds: number): Promise<Figures> => {
  const subject = await Subject.start({ feed: { ...FEED, signals: SIGNALS } });
  try {
    const [learning, from] = [new Sampler(subject.watched()), performance.now()];
    await subject.pace(READINGS_PER_SECOND);
    await subject.allKnown();
    const known = rounded((performance.now() - from) / 1_000, 2);
    // It may take more than knowing them.
    const { "peak MiB, ours": peak = Number.NaN } = learning.peaks();
    await subject.steady(READINGS_PER_SECOND);
    const { figures } = await subject.flow(seconds);
    const killed = await recover(subject, READINGS_PER_SECOND);
    await wait(2);
    const learned = { "s to know them": known, "peak MiB meanwhile, ours": peak };
    return { ...learned, ...figures, ...killed, ...(await restart(subject)) };
  } finally {
    await subject.end();
  }
};

async function* round({ seconds }: RunOptions): AsyncGenerator<Measured> {
  yield { name: `${SIGNALS} signals`, figures: await measure(seconds ?? SECONDS) };
}

export const recovery: Bench = {
  about:
    "A service gets to know 100,000 signals. Once all that came meanwhile has gone through, and the flow is steady, it " +
    "is measured, killed (SIGKILL) amid it and started again at once; then it is shut down (SIGTERM) and started once " +
    "more. Seconds to be ready are those from the start of the process. What is evaluated first is what the log held; peak " +
    "memory is that of the flow before the kill.",
  parameters: {
    ...FEED,
    signals: SIGNALS,
    sources: 1,
    rules: 1,
    readingsPerSecond: READINGS_PER_SECOND,
    seconds: SECONDS,
  },
  round,
};
