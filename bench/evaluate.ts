import { fork } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";
import type { FoldParameters } from "./evaluate-fold.ts";
import { summary } from "./quantiles.ts";

const RUNS = 3;
const READINGS = 4_000_000;
const LINES_PER_BLOCK = 5_000;
const CASES = [
  { signals: 100_000, rules: 1, badPerThousand: 0 },
  { signals: 100_000, rules: 10, badPerThousand: 0 },
  { signals: 100_000, rules: 10, badPerThousand: 1 },
  { signals: 1_000, rules: 10, badPerThousand: 0 },
];
const Result = z.object({ cpuSeconds: z.number(), bytesPerSignal: z.number(), events: z.number() });

/** In a process of its own, so that no run finds what another has left behind. */
const run = async (parameters: FoldParameters) => {
  const child = fork(new URL("./evaluate-fold.ts", import.meta.url), {
    execArgv: ["--disable-warning=ExperimentalWarning", "--expose-gc"],
  });
  try {
    child.send(parameters);
    const [result] = await once(child, "message");
    return Result.parse(result);
  } finally {
    child.kill();
  }
};

/** The fold alone, without a log: how many readings a core evaluates in a second, and what it keeps of a signal. */
export const evaluate = async () => {
  const runs = [];
  for (const one of CASES) {
    const parameters = { ...one, readings: READINGS, linesPerBlock: LINES_PER_BLOCK };
    const results = [];
    for (let round = 0; round < RUNS; round++) results.push(await run(parameters));
    const perCoreSecond = summary(results.map(({ cpuSeconds }) => Math.round(READINGS / cpuSeconds)));
    const bytes = summary(results.map(({ bytesPerSignal }) => bytesPerSignal));
    const events = results[0]?.events ?? 0;
    process.stdout.write(
      `evaluate, ${one.signals} signals, ${one.rules} rules, ${one.badPerThousand} of 1,000 readings bad: ` +
        `${perCoreSecond.p50} readings/s per core (${perCoreSecond.min}–${perCoreSecond.max}), ` +
        `${bytes.p50} bytes per signal, ${events} events\n`,
    );
    runs.push({ ...one, readingsPerCoreSecond: perCoreSecond, bytesPerSignal: bytes.p50, events });
  }
  return { parameters: { readings: READINGS, linesPerBlock: LINES_PER_BLOCK, runs: RUNS }, runs };
};
