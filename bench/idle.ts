import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newApiKey, Service } from "../test/support/service-process.ts";
import { type Bench, type Measured, type RunOptions, rounded, wait } from "./bench.ts";
import { BenchChild } from "./child.ts";
import type { SubscriberOrder } from "./fanout-subscribers.ts";
import { usage } from "./processes.ts";

const CONNECTIONS = 10_000;
const SETTLE_SECONDS = 25;
const SUBSCRIPTIONS = {
  bare: null,
  subscribed: { events: { types: ["signal.failed"] }, readings: { labels: { site: "north" } } },
} satisfies Record<string, Extract<SubscriberOrder, { order: "open" }>["subscription"]>;

/** Memory of a service as `npm start` runs it, before and while streams are open on which nothing is sent but pings. */
const measure = async (
  kind: string,
  subscription: (typeof SUBSCRIPTIONS)[keyof typeof SUBSCRIPTIONS],
  settleSeconds: number,
): Promise<Measured> => {
  const directory = await mkdtemp(join(tmpdir(), "sos-bench-"));
  const key = newApiKey();
  const service = new Service({ dataDirectory: directory, apiKey: key, environment: { DEMO: "false" } });
  const peers = new BenchChild<SubscriberOrder>("./fanout-subscribers.ts");
  try {
    const url = await service.ready();
    await wait(settleSeconds);
    const before = usage(service.pid);
    await peers.answer({ order: "open", url, key, count: CONNECTIONS, subscription });
    const opened = usage(service.pid);
    await wait(settleSeconds);
    const after = usage(service.pid);
    const addedMib = after.mainMib - before.mainMib;
    const figures = {
      "MiB before": before.mainMib,
      "MiB with them": after.mainMib,
      "resident MiB before": before.mainRssMib,
      "resident MiB with them": after.mainRssMib,
      "KiB each": rounded((addedMib * 1024) / CONNECTIONS, 1),
      "of a core": rounded((after.mainCpuSeconds - opened.mainCpuSeconds) / settleSeconds, 2),
    };
    return { name: `${CONNECTIONS} streams, ${kind}`, figures };
  } finally {
    peers.end();
    await service.end("SIGKILL");
    await rm(directory, { recursive: true, force: true });
  }
};

async function* round({ seconds }: RunOptions): AsyncGenerator<Measured> {
  for (const [kind, subscription] of Object.entries(SUBSCRIPTIONS))
    yield measure(kind, subscription, seconds ?? SETTLE_SECONDS);
}

export const idle: Bench = {
  about: "What a service as `npm start` runs it keeps for open streams on which nothing is sent but pings.",
  parameters: { connections: CONNECTIONS, settleSeconds: SETTLE_SECONDS },
  round,
};
