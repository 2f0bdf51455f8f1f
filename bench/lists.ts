import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { BatchAnswer } from "../schemas/batch.ts";
import { SignalsAnswer } from "../schemas/signal.ts";
import { Api } from "../test/support/api.ts";
import { PostgresServer } from "../test/support/postgres-server.ts";
import { newApiKey, Service } from "../test/support/service-process.ts";
import { type Bench, type Measured, rounded } from "./bench.ts";
import { latencies, summary } from "./quantiles.ts";

const SIGNALS = 100_000;
const BATCH = 10_000;
const PAGES = 300;
const SITES = 100;
const LIMIT = 50;
const CAUGHT_UP_MAX_MS = 120_000;

const count = (of: number) => Array.from({ length: of }, (_, index) => index);
const Cursor = z.object({ nextCursor: z.string().nullable() });

/** Filters and orders of the list, alone and together; the rare label is on 1,000 signals, the common one on half. */
const LISTS = [
  "",
  "sort=name",
  "sort=-name",
  "sort=createdAt",
  "status=active",
  "status=failed",
  "status=paused",
  "label=site:site-42",
  "label=band:low",
  "label=band:low&label=site:site-42",
  "q=tower-0042",
  "q=tower",
  "q=nowhere",
  "status=active&label=band:low&sort=name",
  "status=failed&label=band:low&sort=name",
  "q=tower-00&label=band:low&sort=-name",
  "limit=500",
] as const;

const timed = async <T>(work: () => Promise<T>) => {
  const from = performance.now();
  const value = await work();
  return { value, seconds: (performance.now() - from) / 1_000 };
};

/** Its answer is checked when the time is taken. */
const batch = async (api: Api, operations: object[]) => {
  const { value, seconds } = await timed(() => api.call("POST", "/v1/signals/batch", { operations }));
  const { summary: sum, results } = BatchAnswer.parse(value.body);
  if (sum.failed > 0) throw new Error(`${sum.failed} operations failed`);
  return { ids: results.map(({ signal }) => signal?.id ?? ""), seconds };
};

const named = (number: number) => `tower-${String(number).padStart(6, "0")}`;
const created = (number: number) => ({
  operation: "create",
  name: named((number * 7_919) % SIGNALS),
  externalId: named(number),
  threshold: 0.2,
  labels: { site: `site-${number % SITES}`, band: number % 2 === 0 ? "low" : "high" },
});

/** Batches of 10,000: every signal made, and of the last ones all changed, all given a reading that fails every tenth. */
const fill = async (api: Api) => {
  const create: number[] = [];
  let ids: string[] = [];
  for (const round of count(SIGNALS / BATCH)) {
    const made = await batch(
      api,
      count(BATCH).map((index) => created(round * BATCH + index)),
    );
    create.push(made.seconds);
    ids = made.ids;
  }
  const update = await batch(
    api,
    ids.map((signalId, at) => ({ operation: "update", signalId, labels: { site: `new-${at % SITES}` } })),
  );
  const report = await batch(
    api,
    ids.map((signalId, at) => ({ operation: "report", signalId, strength: at % 10 === 0 ? -115 : -60 })),
  );
  return {
    "s to create": summary(create).p50,
    "s to change": rounded(update.seconds, 2),
    "s to report": rounded(report.seconds, 2),
  };
};

/** First pages and, where there are more, those that their cursors lead to, one request at a time. */
const walk = async (api: Api, list: string): Promise<Measured["figures"]> => {
  const samples: number[] = [];
  let cursor: string | null = null;
  let found = 0;
  for (let page = 0; page < PAGES; page++) {
    const query = new URLSearchParams(list);
    if (!query.has("limit")) query.set("limit", String(LIMIT));
    if (cursor !== null && page % 2 === 1) query.set("cursor", cursor);
    const from = performance.now();
    const { body } = await api.call("GET", `/v1/signals?${query}`);
    samples.push(performance.now() - from);
    const { signals } = SignalsAnswer.parse(body);
    found = Math.max(found, signals.length);
    cursor = Cursor.parse(body).nextCursor ?? cursor;
  }
  return { ...latencies(samples), found };
};

async function* measure(
  engine: string,
  environment: Readonly<Record<string, string>>,
): AsyncGenerator<Measured> {
  const directory = await mkdtemp(join(tmpdir(), "sos-bench-"));
  const key = newApiKey();
  const service = new Service({
    dataDirectory: directory,
    apiKey: key,
    environment: { DEMO: "false", ...environment },
  });
  try {
    const api = new Api(await service.ready(), key);
    yield { name: `${engine}, a batch of ${BATCH}`, figures: await fill(api) };
    await api.caughtUp(CAUGHT_UP_MAX_MS);
    for (const list of LISTS) yield { name: `${engine}, ${list || "(all)"}`, figures: await walk(api, list) };
  } finally {
    await service.end("SIGKILL");
    await rm(directory, { recursive: true, force: true });
  }
}

async function* round(): AsyncGenerator<Measured> {
  yield* measure("SQLite", {});
  const postgres = await PostgresServer.make();
  try {
    const secretKey = Buffer.alloc(32, 7).toString("base64");
    yield* measure("PostgreSQL", { DATABASE_URL: postgres.url(), SECRET_KEY: secretKey });
  } finally {
    await postgres.remove();
  }
}

export const lists: Bench = {
  about:
    "Batches, and pages of a long list of signals, one request at a time, on both engines of control data.",
  parameters: { signals: SIGNALS, batch: BATCH, pages: PAGES, limit: LIMIT },
  round,
};
