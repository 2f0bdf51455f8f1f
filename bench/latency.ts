import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { Api } from "../test/support/api.ts";
import { newApiKey, Service } from "../test/support/service-process.ts";
import { usage } from "./cpu.ts";
import type { Orders } from "./generator.ts";
import { summary } from "./quantiles.ts";

const RUNS = 3;
const WARM_UP_SECONDS = 5;
const PARAMETERS = {
  signals: 1_000,
  readingsPerFrame: 100,
  readingsPerSecond: 100_000,
  dipsPerSecond: 50,
  seconds: 20,
};

const Port = z.object({ port: z.number() });
const Measured = z.object({
  readings: z.number(),
  seconds: z.number(),
  samples: z.array(z.number()),
  missing: z.number(),
});
const WithId = z.object({ id: z.string() });

const startGenerator = async () => {
  const child = fork(new URL("./generator.ts", import.meta.url), [JSON.stringify(PARAMETERS)]);
  const answer = async (order: Orders | null): Promise<unknown> => {
    if (order !== null) child.send(order);
    const [message] = await once(child, "message");
    return message;
  };
  return { child, answer, port: Port.parse(await answer(null)).port };
};

const measure = async (service: Service, directory: string, key: string) => {
  const generator = await startGenerator();
  try {
    const api = new Api(await service.ready(), key);
    const rule = { name: "below −50 dBm", condition: { operator: "below", value: -50 } };
    await api.expect(WithId, "POST", "/v1/alerts/rules", rule);
    const source = { type: "websocket", name: "bench", url: `ws://127.0.0.1:${generator.port}/` };
    await api.expect(WithId, "POST", "/v1/integrations/sources", source);
    await generator.answer({ order: "watch", url: api.url, key });
    await new Promise((resolve) => setTimeout(resolve, WARM_UP_SECONDS * 1000));
    const before = usage(service.pid);
    const measured = Measured.parse(
      await generator.answer({ order: "measure", seconds: PARAMETERS.seconds }),
    );
    const after = usage(service.pid);
    const millions = measured.readings / 1e6;
    return {
      readingsPerSecond: Math.round(measured.readings / measured.seconds),
      latencyMs: summary(measured.samples),
      missing: measured.missing,
      cpuSecondsPerMillion: {
        service: Number(((after.mainCpuSeconds - before.mainCpuSeconds) / millions).toFixed(2)),
        timeSeries: Number(((after.childCpuSeconds - before.childCpuSeconds) / millions).toFixed(2)),
      },
      rssAnonMib: { service: after.mainMib, timeSeries: after.childMib },
    };
  } finally {
    generator.child.kill("SIGKILL");
    await service.end("SIGKILL");
    await rm(directory, { recursive: true, force: true });
  }
};

/** From a frame sent to its `signal.failed` on `/v1/stream`, beside a steady flow of readings. */
export const latency = async () => {
  const runs = [];
  for (let run = 1; run <= RUNS; run++) {
    const directory = await mkdtemp(join(tmpdir(), "sos-bench-"));
    const key = newApiKey();
    const environment = { DEMO: "false" };
    const result = await measure(
      new Service({ dataDirectory: directory, apiKey: key, environment }),
      directory,
      key,
    );
    const { p50, p99, max, count } = result.latencyMs;
    const { service, timeSeries } = result.cpuSecondsPerMillion;
    console.log(
      `latency ${run}/${RUNS}: ${result.readingsPerSecond} readings/s, frame sent to signal.failed on the stream: ` +
        `p50 ${p50} ms, p99 ${p99} ms, max ${max} ms (${count} failures, ${result.missing} untold); ` +
        `CPU s per million ${service} + ${timeSeries}; RssAnon ${result.rssAnonMib.service} + ${result.rssAnonMib.timeSeries} MiB`,
    );
    runs.push(result);
  }
  return { parameters: PARAMETERS, runs };
};
