import { monitorEventLoopDelay } from "node:perf_hooks";
import { BacktestAnswer } from "../schemas/backtest.ts";
import { SignalsCreated } from "../schemas/signal.ts";
import { linePrefix, writeLine } from "../src/domain/line-writer.ts";
import { readingsIn } from "../test/support/readings.ts";
import {
  openTestEngines,
  startTestServe,
  type TestEngines,
  type TestServe,
} from "../test/support/serve-worker.ts";
import { type Bench, type Measured, rounded } from "./bench.ts";
import { usage } from "./processes.ts";

const READINGS = 2_600_000;
const INSERT = 100_000;
const START = Date.UTC(2026, 0, 1);
const MIB = 1024 * 1024;

/** A link that fades every few minutes, with noise that is the same at every run: a month at a reading a second. */
const strengthAt = (second: number): number =>
  -70 - 15 * Math.sin(second / 40) - 6 * Math.sin(second / 977) + ((second * 7_919) % 400) / 100;

const store = async ({ timeSeries }: TestEngines, id: string): Promise<void> => {
  const prefix = linePrefix(id);
  const block = new Uint8Array(INSERT * 64);
  for (let from = 0; from < READINGS; from += INSERT) {
    let at = 0;
    for (let second = from; second < from + INSERT; second++)
      at = writeLine(block, at, prefix, START + second * 1_000, strengthAt(second));
    await timeSeries.insertReadings(`bench ${from}`, readingsIn([block.subarray(0, at)]));
  }
};

const RULES = {
  quiet: { condition: { operator: "below", value: -130 } },
  waiting: { condition: { operator: "below", value: -88 }, forSeconds: 20 },
  firing: { condition: { operator: "below", value: -85, hysteresis: 3 } },
  change: { condition: { operator: "change", value: 25, overSeconds: 60 } },
  noData: { condition: { operator: "noData", overSeconds: 30 } },
};

/** The highest resident memory while something runs, in MiB: this process, and that of the time series. */
const peak = async <T>(work: () => Promise<T>) => {
  const now = () => usage(process.pid);
  const before = now();
  const most = { mainMib: before.mainMib, childMib: before.childMib };
  const timer = setInterval(() => {
    const { mainMib, childMib } = now();
    most.mainMib = Math.max(most.mainMib, mainMib);
    most.childMib = Math.max(most.childMib, childMib);
  }, 100);
  try {
    const result = await work();
    const after = now();
    const cpuSeconds = {
      main: Number((after.mainCpuSeconds - before.mainCpuSeconds).toFixed(2)),
      timeSeries: Number((after.childCpuSeconds - before.childCpuSeconds).toFixed(2)),
    };
    const rssAnonMib = { mainBefore: before.mainMib, mainMost: most.mainMib, timeSeriesMost: most.childMib };
    return { result, cpuSeconds, rssAnonMib };
  } finally {
    clearInterval(timer);
  }
};

const run = async ({ api }: TestServe, signalId: string, kind: keyof typeof RULES): Promise<Measured> => {
  const rule = { name: kind, select: { signalIds: [signalId] }, ...RULES[kind] };
  const body = {
    rule,
    from: new Date(START).toISOString(),
    to: new Date(START + READINGS * 1_000).toISOString(),
  };
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const startedAt = performance.now();
  const { result, ...cost } = await peak(() =>
    api.expect(BacktestAnswer, "POST", "/v1/alerts/rules/backtest", body),
  );
  const seconds = Number(((performance.now() - startedAt) / 1_000).toFixed(2));
  delay.disable();
  const { readings, firings } = result.summary;
  const figures = {
    seconds,
    readings,
    firings,
    "loop late p99 ms": rounded(delay.percentile(99) / 1e6, 1),
    "loop late max ms": rounded(delay.max / 1e6, 1),
    "answer bytes": JSON.stringify(result).length,
    "CPU s, service": cost.cpuSeconds.main,
    "CPU s, ClickHouse": cost.cpuSeconds.timeSeries,
    "MiB before": cost.rssAnonMib.mainBefore,
    "peak MiB": cost.rssAnonMib.mainMost,
    "peak MiB, ClickHouse": cost.rssAnonMib.timeSeriesMost,
  };
  return { name: kind, figures };
};

async function* round(): AsyncGenerator<Measured> {
  const engines = await openTestEngines();
  const serve = await startTestServe(engines);
  try {
    const signal = { name: "bench", threshold: 0 };
    const made = await serve.api.expect(SignalsCreated, "POST", "/v1/signals", signal);
    const id = made.signals[0]?.id ?? "";
    await store(engines, id);
    for (const kind of ["quiet", "waiting", "firing", "change", "noData"] as const)
      yield await run(serve, id, kind);
  } finally {
    await serve.stop();
    await engines.close();
  }
}

export const backtest: Bench = {
  about:
    "What it takes to try a rule on a signal's month at a reading a second; how late the event loop gets meanwhile.",
  parameters: { readings: READINGS, mibOfText: Math.round((READINGS * 52) / MIB) },
  round,
};
