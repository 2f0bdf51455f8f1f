import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newApiKey, Service } from "../test/support/service-process.ts";
import { BenchChild } from "./child.ts";
import { usage } from "./cpu.ts";
import type { SubscriberOrder } from "./fanout-subscribers.ts";

const CONNECTIONS = 10_000;
const SETTLE_SECONDS = 25;
const SUBSCRIPTIONS = {
  bare: null,
  subscribed: { events: { types: ["signal.failed"] }, readings: { labels: { site: "north" } } },
} satisfies Record<string, Extract<SubscriberOrder, { order: "open" }>["subscription"]>;

const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

/** Memory of a service as `npm start` runs it, before and while streams are open on which nothing is sent but pings. */
const measure = async (subscription: (typeof SUBSCRIPTIONS)[keyof typeof SUBSCRIPTIONS]) => {
  const directory = await mkdtemp(join(tmpdir(), "sos-bench-"));
  const key = newApiKey();
  const service = new Service({ dataDirectory: directory, apiKey: key, environment: { DEMO: "false" } });
  const peers = new BenchChild<SubscriberOrder>("./fanout-subscribers.ts");
  try {
    const url = await service.ready();
    await wait(SETTLE_SECONDS);
    const before = usage(service.pid);
    await peers.answer({ order: "open", url, key, count: CONNECTIONS, subscription });
    await wait(SETTLE_SECONDS);
    const after = usage(service.pid);
    const addedMib = after.mainMib - before.mainMib;
    return {
      rssMib: { before: before.mainRssMib, after: after.mainRssMib },
      rssAnonMib: { before: before.mainMib, after: after.mainMib },
      kibibytesEach: Number(((addedMib * 1024) / CONNECTIONS).toFixed(1)),
      cpuShare: Number(((after.mainCpuSeconds - before.mainCpuSeconds) / SETTLE_SECONDS).toFixed(2)),
    };
  } finally {
    peers.end();
    await service.end("SIGKILL");
    await rm(directory, { recursive: true, force: true });
  }
};

/** What open streams cost that nothing is sent on. */
export const idle = async () => {
  const runs = [];
  for (const [kind, subscription] of Object.entries(SUBSCRIPTIONS)) {
    const run = await measure(subscription);
    process.stdout.write(
      `idle, ${CONNECTIONS} streams, ${kind}: RSS ${run.rssMib.before} → ${run.rssMib.after} MiB, ` +
        `of it RssAnon ${run.rssAnonMib.before} → ${run.rssAnonMib.after} MiB, ${run.kibibytesEach} KiB each\n`,
    );
    runs.push({ kind, ...run });
  }
  return { parameters: { connections: CONNECTIONS, settleSeconds: SETTLE_SECONDS }, runs };
};
