import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import { z } from "zod";
import { Api } from "../test/support/api.ts";
import { newApiKey, Service } from "../test/support/service-process.ts";
import { usage } from "./cpu.ts";

const CONNECTIONS = 50;
const SECONDS = 15;
const WARM_UP_SECONDS = 5;
const INGEST = { signals: 1_000, readingsPerFrame: 100, readingsPerSecond: 100_000, dipsPerSecond: 0 };
const Port = z.object({ port: z.number() });
const WithId = z.object({ id: z.string() });
const Signals = z.object({ signals: z.array(WithId).min(1) });
const ACCEPTED = /^ingest_readings_total (\d+)$/m;

interface Route {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: object;
}

const routesFor = (signalId: string): Route[] => [
  { name: "GET /v1/signals/{id}", method: "GET", path: `/v1/signals/${signalId}` },
  {
    name: "POST /v1/signals/test",
    method: "POST",
    path: "/v1/signals/test",
    body: { signalId, strength: -60 },
  },
  { name: "GET /v1/signals", method: "GET", path: "/v1/signals" },
  {
    name: "GET /v1/signals/{id}/readings",
    method: "GET",
    path: `/v1/signals/${signalId}/readings?step=1m`,
  },
];

const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

const startIngest = async (api: Api): Promise<() => void> => {
  const generator = fork(new URL("./generator.ts", import.meta.url), [JSON.stringify(INGEST)]);
  const [said] = await once(generator, "message");
  const url = `ws://127.0.0.1:${Port.parse(said).port}/`;
  await api.expect(WithId, "POST", "/v1/integrations/sources", { type: "websocket", name: "bench", url });
  return () => generator.kill("SIGKILL");
};

const accepted = async (api: Api): Promise<number> =>
  Number(ACCEPTED.exec(String((await api.call("GET", "/metrics")).body))?.[1] ?? 0);

/** One route under load; what is not answered 2xx is counted apart. */
const measure = async (api: Api, pid: number, { name, method, path, body }: Route) => {
  const [readings, before, from] = [await accepted(api), usage(pid), performance.now()];
  const result = await autocannon({
    url: api.url + path,
    method,
    connections: CONNECTIONS,
    duration: SECONDS,
    headers: { ...api.authorization, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const [after, seconds] = [usage(pid), (performance.now() - from) / 1_000];
  const { latency, requests, non2xx, errors, timeouts } = result;
  return {
    route: name,
    requestsPerSecond: Math.round(requests.average),
    latencyMs: { p50: latency.p50, p99: latency.p99, max: latency.max },
    failed: non2xx + errors + timeouts,
    readingsPerSecond: Math.round(((await accepted(api)) - readings) / seconds),
    serviceCpuShare: Number(((after.mainCpuSeconds - before.mainCpuSeconds) / seconds).toFixed(2)),
    timeSeriesCpuShare: Number(((after.childCpuSeconds - before.childCpuSeconds) / seconds).toFixed(2)),
  };
};
type Measured = Awaited<ReturnType<typeof measure>>;

const print = (run: Measured) => {
  const { p50, p99, max } = run.latencyMs;
  process.stdout.write(
    `api, ${run.route}: ${run.requestsPerSecond} requests/s on ${CONNECTIONS} connections, p50 ${p50} ms, ` +
      `p99 ${p99} ms, max ${max} ms, ${run.failed} failed; beside ${run.readingsPerSecond} readings/s; ` +
      `CPU: service ${run.serviceCpuShare}, ClickHouse ${run.timeSeriesCpuShare} of a core\n`,
  );
};

/** Requests to a service as `npm start` runs it, beside a steady flow of readings; one route after the other. */
export const api = async () => {
  const directory = await mkdtemp(join(tmpdir(), "sos-bench-"));
  const key = newApiKey();
  const service = new Service({ dataDirectory: directory, apiKey: key, environment: { DEMO: "false" } });
  let endIngest = () => {};
  try {
    const client = new Api(await service.ready(), key);
    endIngest = await startIngest(client);
    await wait(WARM_UP_SECONDS);
    const { signals } = await client.expect(Signals, "GET", "/v1/signals?limit=1");
    const runs = [];
    for (const route of routesFor(signals[0]?.id ?? "")) {
      const run = await measure(client, service.pid, route);
      print(run);
      runs.push(run);
    }
    return { parameters: { connections: CONNECTIONS, seconds: SECONDS, ingest: INGEST }, runs };
  } finally {
    endIngest();
    await service.end("SIGKILL");
    await rm(directory, { recursive: true, force: true });
  }
};
