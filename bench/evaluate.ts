import { fork } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";
import { DRAINED_SECONDS, evaluateAlone } from "./alone.ts";
import { type Bench, type Measured, type RunOptions, rounded } from "./bench.ts";
import type { FoldParameters } from "./evaluate-fold.ts";

const READINGS = 4_000_000;
const LINES_PER_BLOCK = 5_000;
const CASES = [
  { signals: 1_000_000, rules: 1, badPerThousand: 0 },
  { signals: 100_000, rules: 1, badPerThousand: 0 },
  { signals: 100_000, rules: 10, badPerThousand: 0 },
  { signals: 100_000, rules: 10, badPerThousand: 1 },
  { signals: 1_000, rules: 10, badPerThousand: 0 },
];
const Result = z.object({ cpuSeconds: z.number(), bytesPerSignal: z.number(), events: z.number() });

/** In a process of its own, so that no run finds what another has left behind. */
const fold = async (parameters: FoldParameters) => {
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

async function* round({ seconds, wants }: RunOptions): AsyncGenerator<Measured> {
  if (wants("evaluate alone")) yield evaluateAlone(seconds ?? DRAINED_SECONDS);
  for (const one of CASES) {
    const { signals, rules, badPerThousand } = one;
    const name = `fold, ${signals} signals, ${rules} rules, ${badPerThousand} ‰ bad`;
    if (!wants(name)) continue;
    const { cpuSeconds, bytesPerSignal, events } = await fold({
      ...one,
      readings: READINGS,
      linesPerBlock: LINES_PER_BLOCK,
    });
    const figures = {
      "readings per CPU s": rounded(READINGS / cpuSeconds),
      "CPU s per million, service": rounded((cpuSeconds * 1e6) / READINGS, 2),
      "bytes per signal": bytesPerSignal,
      events,
    };
    yield { name, figures };
  }
}

export const evaluate: Bench = {
  about:
    "The evaluate worker alone, reading a full embedded log to its end: events, newest values and commits told. Then " +
    "the fold without any log: what it costs and keeps as signals, rules and bad readings grow.",
  parameters: {
    signals: 1_000,
    rules: 1,
    readings: DRAINED_SECONDS * 1_000_000,
    foldReadings: READINGS,
    linesPerBlock: LINES_PER_BLOCK,
  },
  round,
};
