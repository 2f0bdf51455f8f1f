import { z } from "zod";
import { type Bench, type Measured, type RunOptions, rounded, wait } from "./bench.ts";
import { BenchChild } from "./child.ts";
import type { ServeOrder } from "./fanout-serve.ts";
import type { SubscriberOrder } from "./fanout-subscribers.ts";
import { childrenOf, usage } from "./processes.ts";
import { latencies } from "./quantiles.ts";
import { Sampler } from "./sampler.ts";

const WARM_UP_SECONDS = 3;
const SECONDS = 10;
const SUBSCRIBERS = 200;
const SIGNALS = 1_000;
/** What every subscriber is to get: a steady load, and as much as there can be (each signal ten times a second). */
const LOADS = [2_500, 10_000];

const Ready = z.object({ url: z.string(), key: z.string(), load: z.number() });
const Offered = z.object({ offered: z.number(), atSeconds: z.number() });
const Counted = z.object({
  updates: z.number(),
  frames: z.number(),
  bytes: z.number(),
  seconds: z.number(),
  ages: z.array(z.number()),
});

const started = async () => {
  const serve = new BenchChild<ServeOrder>("./fanout-serve.ts", { signals: SIGNALS });
  const subscribers = new BenchChild<SubscriberOrder>("./fanout-subscribers.ts");
  return { serve, subscribers, ...Ready.parse(await serve.answer()) };
};
type Started = Awaited<ReturnType<typeof started>>;

const end = async ({ serve, subscribers }: Started): Promise<void> => {
  subscribers.end();
  serve.order({ order: "stop" });
  await Promise.race([serve.exited(), wait(10)]);
  serve.end();
};

const deliver = async (
  updatesPerSecond: number,
  format: "json" | "compact",
  seconds: number,
): Promise<Measured> => {
  const all = await started();
  try {
    const { serve, subscribers, load, url, key } = all;
    const subscription = { readings: { signalIds: "all" }, format };
    await subscribers.answer({ order: "open", url, key, count: SUBSCRIBERS, subscription });
    await serve.answer({ order: "publish", updatesPerSecond });
    await wait(WARM_UP_SECONDS);
    const offered = async () => Offered.parse(await serve.answer({ order: "count" }));
    const others = childrenOf(serve.pid).map(({ pid }) => pid);
    const sampler = new Sampler({
      serve: [serve.pid],
      ClickHouse: others.filter((pid) => pid !== load),
      load: [load],
      subscribers: [subscribers.pid],
    });
    const [first, before] = [await offered(), usage(serve.pid)];
    const measured = Counted.parse(await subscribers.answer({ order: "measure", seconds }));
    const [after, cost] = [usage(serve.pid), sampler.cost(measured.updates, "million updates")];
    const last = await offered();
    const offeredPerSecond = (last.offered - first.offered) / (last.atSeconds - first.atSeconds);
    const perSecond = (count: number) => rounded(count / measured.seconds);
    const figures = {
      "updates/s": perSecond(measured.updates),
      "offered/s": rounded(offeredPerSecond * SUBSCRIBERS),
      "frames/s": perSecond(measured.frames),
      "MiB/s": perSecond(measured.bytes / 1024 ** 2),
      ...latencies(measured.ages),
      "serve, of a core": rounded((after.mainCpuSeconds - before.mainCpuSeconds) / measured.seconds, 2),
      ...cost,
    };
    return { name: `${format}, of ${updatesPerSecond * SUBSCRIBERS} updates/s`, figures };
  } finally {
    await end(all);
  }
};

async function* round({ seconds }: RunOptions): AsyncGenerator<Measured> {
  for (const format of ["json", "compact"] as const)
    for (const load of LOADS) yield deliver(load, format, seconds ?? SECONDS);
}

export const fanout: Bench = {
  about:
    "Newest values from one serve worker to many subscribers that show all signals; the latency is from when " +
    "a value was due to its arrival. Values come at most ten times a second, so that 50 ms is the median at best.",
  parameters: { signals: SIGNALS, subscribers: SUBSCRIBERS, seconds: SECONDS },
  round,
};
