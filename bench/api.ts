import autocannon from "autocannon";
import { z } from "zod";
import { RATE_LIMIT_REQUESTS } from "../test/support/service-process.ts";
import { type Bench, type Measured, type RunOptions, rounded, wait } from "./bench.ts";
import { FEED } from "./feeds.ts";
import { usage } from "./processes.ts";
import { Sampler } from "./sampler.ts";
import { stageCounts } from "./stages.ts";
import { Subject } from "./subject.ts";

const CONNECTIONS = 50;
const SECONDS = 15;
const WARM_UP_SECONDS = 5;
const READINGS_PER_SECOND = 100_000;
const SIGNALS_ASKED_OF = 500;
const WithId = z.object({ id: z.string() });
const Signals = z.object({ signals: z.array(WithId).length(SIGNALS_ASKED_OF) });

interface Route {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: (signalId: string) => string;
  readonly body?: (signalId: string) => object;
}

const ROUTES: readonly Route[] = [
  { name: "GET /v1/signals/{id}", method: "GET", path: (id) => `/v1/signals/${id}` },
  {
    name: "POST /v1/signals/test",
    method: "POST",
    path: () => "/v1/signals/test",
    body: (signalId) => ({ signalId, strength: -60 }),
  },
  { name: "GET /v1/signals", method: "GET", path: () => "/v1/signals" },
  {
    name: "GET /v1/signals/{id}/readings",
    method: "GET",
    path: (id) => `/v1/signals/${id}/readings?step=1m`,
  },
];

/** One route under load, of one signal after the other; what is not answered 2xx is counted apart. */
const measure = async (
  subject: Subject,
  ids: readonly string[],
  { name, method, path, body }: Route,
  duration: number,
): Promise<Measured> => {
  const { api, pid } = subject;
  const watched = { ...subject.watched(), client: [process.pid] };
  const [stages, before, sampler, from] = [
    await stageCounts(api),
    usage(pid),
    new Sampler(watched),
    performance.now(),
  ];
  const result = await autocannon({
    url: api.url,
    connections: CONNECTIONS,
    duration,
    headers: { ...api.authorization, "content-type": "application/json" },
    requests: ids.map((id) => ({
      method,
      path: path(id),
      ...(body === undefined ? {} : { body: JSON.stringify(body(id)) }),
    })),
  });
  const [after, seconds] = [usage(pid), (performance.now() - from) / 1_000];
  const accepted = (await stageCounts(api)).accepted - stages.accepted;
  const { latency, requests, non2xx, errors, timeouts } = result;
  const cost = sampler.cost(requests.total, "million requests");
  const share = (cpuSeconds: number) => rounded(cpuSeconds / seconds, 2);
  const figures = {
    "requests/s": rounded(requests.average),
    "p50 ms": latency.p50,
    "p99 ms": latency.p99,
    "max ms": latency.max,
    failed: non2xx + errors + timeouts,
    "readings/s beside": rounded(accepted / seconds),
    "service, of a core": share(after.mainCpuSeconds - before.mainCpuSeconds),
    "ClickHouse, of a core": share(after.childCpuSeconds - before.childCpuSeconds),
    ...cost,
  };
  return { name, figures };
};

async function* round({ seconds }: RunOptions): AsyncGenerator<Measured> {
  const subject = await Subject.start({ feed: FEED });
  try {
    await subject.pace(READINGS_PER_SECOND);
    await subject.allKnown();
    const { signals } = await subject.api.expect(Signals, "GET", `/v1/signals?limit=${SIGNALS_ASKED_OF}`);
    const ids = signals.map(({ id }) => id);
    for (const route of ROUTES) {
      await subject.steady(READINGS_PER_SECOND);
      await wait(WARM_UP_SECONDS);
      const measured = await measure(subject, ids, route, seconds ?? SECONDS);
      // The machine's speed is looked at between two cases, with nothing beside it.
      await subject.drained();
      yield measured;
    }
  } finally {
    await subject.end();
  }
}

export const api: Bench = {
  about:
    "As many requests as are answered to a service as `npm start` runs it (but with a limit of requests that is never " +
    "reached), beside a steady flow of readings, one route after the other. What CPU a million requests take includes " +
    "what the readings beside them take. Queries at a pace of their own beside full ingest are under latency.",
  parameters: {
    connections: CONNECTIONS,
    signalsAskedOf: SIGNALS_ASKED_OF,
    seconds: SECONDS,
    ...FEED,
    sources: 1,
    rules: 1,
    readingsPerSecond: READINGS_PER_SECOND,
    RATE_LIMIT_REQUESTS,
  },
  round,
};
