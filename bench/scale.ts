import { alertLatency } from "./alert-latency.ts";
import { type Bench, type Figures, type Measured, type RunOptions, rounded, wait } from "./bench.ts";
import { FEED } from "./feeds.ts";
import { recover, restart } from "./restart.ts";
import { Subject } from "./subject.ts";

/** Longer than from one snapshot to the next, which is 30 s: each window has one. */
const SECONDS = 32;
const WARM_UP_SECONDS = 5;
const DIPS_PER_SECOND = 20;
const ALERT_SECONDS = 10;

interface Point {
  readonly signals: number;
  readonly sources: number;
  readonly rules: number;
}
/** So that frames are as long however many sources there are. */
const SIGNALS_OF_EACH = 100;
const POINTS: Record<string, Point> = {
  ...Object.fromEntries(
    [1_000, 10_000, 100_000, 1_000_000].map((signals) => [
      `${signals} signals`,
      { signals, sources: 1, rules: 1 },
    ]),
  ),
  ...Object.fromEntries(
    [10, 100, 1_000].map((sources) => [
      `${sources} sources`,
      { signals: sources * SIGNALS_OF_EACH, sources, rules: 1 },
    ]),
  ),
  ...Object.fromEntries([10, 100].map((rules) => [`${rules} rules`, { signals: 1_000, sources: 1, rules }])),
};

/** All that may grow with the work, of one service. */
const measure = async ({ signals, sources, rules }: Point, seconds: number): Promise<Figures> => {
  const subject = await Subject.start({ feed: { ...FEED, signals }, sources, rules });
  try {
    const from = performance.now();
    await subject.pace(null);
    await subject.allKnown();
    const known = rounded((performance.now() - from) / 1_000, 2);
    await wait(WARM_UP_SECONDS);
    const { figures } = await subject.flow(seconds);
    await subject.checkStored();
    await subject.launch();
    const half = Math.round((figures["readings/s"] ?? 0) / 2);
    const load = {
      readingsPerSecond: half,
      dipsPerSecond: DIPS_PER_SECOND,
      seconds: ALERT_SECONDS,
      warmUpSeconds: Math.max(WARM_UP_SECONDS, Math.ceil(signals / half)),
    };
    const {
      "p50 ms": p50 = Number.NaN,
      "p99 ms": p99 = Number.NaN,
      untold = Number.NaN,
    } = (await alertLatency(subject, load)).figures;
    const alerts = {
      "alerts untold": untold,
      ...(untold === 0 ? { "alert p50 ms": p50, "alert p99 ms": p99 } : {}),
    };
    const killed = await recover(subject, half);
    return { "s to know all signals": known, ...figures, ...alerts, ...killed, ...(await restart(subject)) };
  } finally {
    await subject.end();
  }
};

async function* round({ seconds, wants }: RunOptions): AsyncGenerator<Measured> {
  for (const [name, point] of Object.entries(POINTS))
    if (wants(name)) yield { name, figures: await measure(point, seconds ?? SECONDS) };
}

export const scale: Bench = {
  about:
    "The whole way as the work grows: signals (of one source, under one rule), sources of " +
    `${SIGNALS_OF_EACH} signals each (to be compared with as many signals of one), rules (over 1,000 signals). ` +
    "Afterwards what is stored must be what was accepted, as under end-to-end. Alerts are timed at half of what went " +
    "through just before, by the service started again once it has seen each signal; where some were not told within a " +
    "second of the last, there is no figure. Of many rules one fires, and the others compare. Where less is recorded " +
    "than accepted, that is no lasting speed: the log grows.",
  parameters: {
    ...FEED,
    seconds: SECONDS,
    dipsPerSecond: DIPS_PER_SECOND,
    alertSeconds: ALERT_SECONDS,
    points: POINTS,
  },
  round,
};
