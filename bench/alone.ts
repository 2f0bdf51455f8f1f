import { z } from "zod";
import { type Measured, rounded, wait } from "./bench.ts";
import { BenchChild } from "./child.ts";
import type { Feed } from "./frames.ts";
import type { GeneratorOrder } from "./generator.ts";
import { childrenOf } from "./processes.ts";
import { Sampler } from "./sampler.ts";
import type { DrainParameters } from "./stage-drain.ts";

const WARM_UP_SECONDS = 3;
const STOP_MAX_SECONDS = 15;
/** What one run is to read is about so much of a second's work at least. */
const DRAINED_PER_SECOND = 1_000_000;
export const DRAINED_SECONDS = 20;

const Port = z.object({ port: z.number() });
const Counts = z.object({ accepted: z.number() });
const Drained = z.object({ perSecond: z.number() });

const stopped = async (child: BenchChild<object>): Promise<void> => {
  child.order({ order: "stop" });
  await Promise.race([child.exited(), wait(STOP_MAX_SECONDS)]);
  child.end();
};

/** Socket to durable log, alone: no other worker, and the log is emptied behind it. */
export const ingestAlone = async (feed: Feed, seconds: number): Promise<Measured> => {
  const generator = new BenchChild<GeneratorOrder>("./generator.ts", { ...feed, connections: 1 });
  const { port } = Port.parse(await generator.answer());
  const source = {
    type: "websocket",
    name: "bench",
    url: `ws://127.0.0.1:${port}/0`,
    mapping: { preset: feed.shape },
  };
  const stage = new BenchChild<object>("./stage-ingest.ts", { source });
  try {
    await stage.answer();
    await generator.answer({ order: "pace", readingsPerSecond: null });
    await wait(WARM_UP_SECONDS);
    const accepted = async () => Counts.parse(await stage.answer({ order: "count" })).accepted;
    const watched = { service: [stage.pid], generator: [generator.pid] };
    const [before, sampler, from] = [await accepted(), new Sampler(watched), performance.now()];
    await wait(seconds);
    const [after, took] = [await accepted(), (performance.now() - from) / 1_000];
    const { figures, mibOverTime } = sampler.end(after - before);
    return {
      name: "ingest alone",
      figures: { "readings/s": rounded((after - before) / took), ...figures },
      detail: { mibOverTime },
    };
  } finally {
    generator.end();
    await stopped(stage);
  }
};

const drain = async (parameters: DrainParameters): Promise<Omit<Measured, "name">> => {
  const stage = new BenchChild<object>("./stage-drain.ts", parameters);
  try {
    await stage.answer();
    const ClickHouse = childrenOf(stage.pid).map(({ pid }) => pid);
    const sampler = new Sampler({ service: [stage.pid], ...(ClickHouse.length > 0 ? { ClickHouse } : {}) });
    const drained = Drained.parse(await stage.answer({ order: "run" }));
    // It is over within seconds: growth would be that of its start.
    const { figures: all, mibOverTime } = sampler.end(parameters.readings);
    const { "growth MiB/min": _, ...figures } = all;
    return { figures: { "readings/s": rounded(drained.perSecond), ...figures }, detail: { mibOverTime } };
  } finally {
    await stopped(stage);
  }
};
const filling = (seconds: number) => ({ signals: 1_000, rules: 1, readings: seconds * DRAINED_PER_SECOND });

/** Reading the log and folding it, events and newest values told, alone. */
export const evaluateAlone = async (seconds: number): Promise<Measured> => ({
  name: "evaluate alone",
  ...(await drain({ stage: "evaluate", ...filling(seconds) })),
});
/** The log to ClickHouse with its rollups, alone. */
export const recordAlone = async (seconds: number): Promise<Measured> => ({
  name: "record alone",
  ...(await drain({ stage: "record", ...filling(seconds) })),
});
