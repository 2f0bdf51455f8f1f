import { z } from "zod";
import { BenchChild } from "./child.ts";
import { usage } from "./cpu.ts";
import type { ServeOrder } from "./fanout-serve.ts";
import type { SubscriberOrder } from "./fanout-subscribers.ts";
import { summary } from "./quantiles.ts";

const WARM_UP_SECONDS = 3;
const SECONDS = 10;
const SUBSCRIBERS = 200;
const SIGNALS = 1_000;
/** What every subscriber is to get: a steady load, and as much as there can be (each signal ten times a second). */
const LOADS = [2_500, 10_000];

const Ready = z.object({ url: z.string(), key: z.string() });
const Measured = z.object({
  updates: z.number(),
  frames: z.number(),
  bytes: z.number(),
  seconds: z.number(),
  ages: z.array(z.number()),
});

const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

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

const deliver = async (updatesPerSecond: number, format: "json" | "compact") => {
  const all = await started();
  try {
    const { serve, subscribers, url, key } = all;
    const subscription = { readings: { signalIds: "all" }, format };
    await subscribers.answer({ order: "open", url, key, count: SUBSCRIBERS, subscription });
    serve.order({ order: "publish", updatesPerSecond });
    await wait(WARM_UP_SECONDS);
    const before = usage(serve.pid);
    const measured = Measured.parse(await subscribers.answer({ order: "measure", seconds: SECONDS }));
    const after = usage(serve.pid);
    const cpuSeconds = after.mainCpuSeconds - before.mainCpuSeconds;
    return {
      format,
      offeredPerSecond: updatesPerSecond * SUBSCRIBERS,
      deliveredPerSecond: Math.round(measured.updates / measured.seconds),
      framesPerSecond: Math.round(measured.frames / measured.seconds),
      mebibytesPerSecond: Math.round(measured.bytes / measured.seconds / 1024 ** 2),
      ageMs: summary(measured.ages),
      serveCpuShare: Number((cpuSeconds / measured.seconds).toFixed(2)),
      perCpuSecond: Math.round(measured.updates / cpuSeconds),
      serveRssAnonMib: after.mainMib,
    };
  } finally {
    await end(all);
  }
};

/** Newest values from one serve worker to many subscribers that show all signals. */
export const fanout = async () => {
  const runs = [];
  for (const format of ["json", "compact"] as const) {
    for (const load of LOADS) {
      const run = await deliver(load, format);
      process.stdout.write(
        `fanout, ${format}: of ${run.offeredPerSecond} updates/s ${run.deliveredPerSecond} to ${SUBSCRIBERS} subscribers ` +
          `(${run.framesPerSecond} frames, ${run.mebibytesPerSecond} MiB a second); age p50 ${run.ageMs.p50} ms, ` +
          `p99 ${run.ageMs.p99} ms, max ${run.ageMs.max} ms; serve: ${run.serveCpuShare} of a core (${run.perCpuSecond} a CPU second), ` +
          `RssAnon ${run.serveRssAnonMib} MiB\n`,
      );
      runs.push(run);
    }
  }
  return {
    parameters: { signals: SIGNALS, subscribers: SUBSCRIBERS, seconds: SECONDS },
    runs,
  };
};
