import { z } from "zod";
import { until } from "../test/support/until.ts";
import { type Bench, type Measured, type RunOptions, rounded, wait } from "./bench.ts";
import { BenchChild } from "./child.ts";
import { usage } from "./processes.ts";
import { latencies } from "./quantiles.ts";
import { Sampler } from "./sampler.ts";
import type { DeliverOrder } from "./webhooks-deliver.ts";
import type { ReceiverOrder } from "./webhooks-receiver.ts";

const BURST = { endpoints: 20, signals: 100, events: 3_000, warmUp: 500 };
const STEADY = { eventsPerSecond: 300, seconds: 20, warmUpSeconds: 3 };
/** Endpoints, and how many of them take requests and never answer. */
const LOADS = [
  { endpoints: 20, hanging: 0 },
  { endpoints: 20, hanging: 1 },
  { endpoints: 1_000, hanging: 0 },
  { endpoints: 1_000, hanging: 100 },
];
const MAX_MS = 120_000;

const Opened = z.object({ urls: z.array(z.string()) });
const Loaded = z.object({ load: z.number() });
const Saved = z.object({ saved: z.number() });
const Arrivals = z.object({ arrivals: z.number() });
const Collected = z.object({
  arrivals: z.number(),
  requestsToHanging: z.number(),
  lastAt: z.number(),
  ages: z.array(z.number()),
});

const started = async (
  { healthy, hanging }: { healthy: number; hanging: number },
  signals: number,
  each: "all" | "one",
) => {
  const receiver = new BenchChild<ReceiverOrder>("./webhooks-receiver.ts");
  const deliver = new BenchChild<DeliverOrder>("./webhooks-deliver.ts", { signals });
  const { load } = Loaded.parse(await deliver.answer());
  const { urls } = Opened.parse(await receiver.answer({ order: "open", healthy, hanging }));
  await deliver.answer({ order: "subscribe", urls, each });
  const watched = { deliver: [deliver.pid], load: [load], receiver: [receiver.pid] };
  return { receiver, deliver, watched };
};
type Started = Awaited<ReturnType<typeof started>>;

const end = async ({ receiver, deliver }: Started): Promise<void> => {
  receiver.end();
  deliver.order({ order: "stop" });
  await Promise.race([deliver.exited(), wait(10)]);
  deliver.end();
};

const arrived = ({ receiver }: Started, count: number) =>
  until(
    `${count} arrivals`,
    async () => Arrivals.parse(await receiver.answer({ order: "count" })).arrivals >= count,
    MAX_MS,
  );

/** As fast as it goes: until every request has arrived and every attempt is durable. */
const throughput = async (): Promise<Measured> => {
  const { endpoints, signals, events, warmUp } = BURST;
  const all = await started({ healthy: endpoints, hanging: 0 }, signals, "all");
  try {
    const { deliver, receiver } = all;
    const run = async (count: number, before: number) => {
      await deliver.answer({ order: "burst", events: count });
      await arrived(all, count * endpoints);
      const saved = async () => Saved.parse(await deliver.answer({ order: "saved" })).saved;
      await until(
        "attempts to be durable",
        async () => (await saved()) >= before + count * endpoints,
        MAX_MS,
      );
      await receiver.answer({ order: "collect" });
    };
    await run(warmUp, 0);
    const [from, before, sampler] = [performance.now(), usage(deliver.pid), new Sampler(all.watched)];
    await run(events, warmUp * endpoints);
    const [seconds, after] = [(performance.now() - from) / 1_000, usage(deliver.pid)];
    const deliveries = events * endpoints;
    const cpuSeconds = after.mainCpuSeconds - before.mainCpuSeconds;
    const figures = {
      "deliveries/s": rounded(deliveries / seconds),
      "deliver, of a core": rounded(cpuSeconds / seconds, 2),
      ...sampler.cost(deliveries, "million deliveries"),
    };
    return { name: `all at once, to ${endpoints} endpoints`, figures };
  } finally {
    await end(all);
  }
};

/** A steady flow, each event to one endpoint, far from what it could do: how old events are when they arrive. */
const latency = async (
  { endpoints, hanging }: (typeof LOADS)[number],
  seconds: number,
): Promise<Measured> => {
  const { eventsPerSecond, warmUpSeconds } = STEADY;
  const all = await started({ healthy: endpoints - hanging, hanging }, endpoints, "one");
  try {
    const { deliver, receiver } = all;
    /** Until all have arrived that shall: those that come late belong to the figures, and to none after. */
    const run = async (first: number, events: number) => {
      await deliver.answer({ order: "steady", eventsPerSecond, seconds: events / eventsPerSecond });
      const endpointsOf = Array.from({ length: events }, (_, at) => (first + at) % endpoints);
      await arrived(all, endpointsOf.filter((endpoint) => endpoint >= hanging).length);
      return Collected.parse(await receiver.answer({ order: "collect" }));
    };
    const warmUp = eventsPerSecond * warmUpSeconds;
    await run(0, warmUp);
    const [from, before, sampler] = [performance.now(), usage(deliver.pid), new Sampler(all.watched)];
    const { arrivals, requestsToHanging, ages } = await run(warmUp, eventsPerSecond * seconds);
    const [took, after] = [(performance.now() - from) / 1_000, usage(deliver.pid)];
    const cost = sampler.cost(arrivals, "million deliveries");
    const figures = {
      ...latencies(ages),
      arrivals,
      "requests to hanging": requestsToHanging,
      "deliver, of a core": rounded((after.mainCpuSeconds - before.mainCpuSeconds) / took, 2),
      ...cost,
    };
    return { name: `${eventsPerSecond} events/s to ${endpoints} endpoints, ${hanging} hanging`, figures };
  } finally {
    await end(all);
  }
};

async function* round({ seconds }: RunOptions): AsyncGenerator<Measured> {
  yield throughput();
  for (const load of LOADS) yield latency(load, seconds ?? STEADY.seconds);
}

export const webhooks: Bench = {
  about:
    "Signed deliveries of the deliver worker on embedded engines, each event, delivery and attempt durable; the latency " +
    "is from when an event was due to its arrival. Some endpoints take requests and never answer.",
  parameters: { burst: BURST, steady: STEADY },
  round,
};
