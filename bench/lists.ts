import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { BatchAnswer } from "../schemas/batch.ts";
import { SignalsAnswer } from "../schemas/signal.ts";
import { Api } from "../test/support/api.ts";
import { PostgresServer } from "../test/support/postgres-server.ts";
import { newApiKey, Service } from "../test/support/service-process.ts";
import { summary } from "./quantiles.ts";

const SIGNALS = 100_000;
const BATCH = 10_000;
const PAGES = 300;
const SITES = 100;
const LIMIT = 50;

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
  return { create: summary(create), updateSeconds: update.seconds, reportSeconds: report.seconds };
};

/** First pages and, where there are more, those that their cursors lead to, one request at a time. */
const walk = async (api: Api, list: string) => {
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
  return { list: list || "(all)", found, ms: summary(samples) };
};

const measure = async (engine: string, environment: Record<string, string>) => {
  const directory = await mkdtemp(join(tmpdir(), "sos-bench-"));
  const key = newApiKey();
  const service = new Service({
    dataDirectory: directory,
    apiKey: key,
    environment: { DEMO: "false", ...environment },
  });
  try {
    const api = new Api(await service.ready(), key);
    const batches = await fill(api);
    const { create, updateSeconds, reportSeconds } = batches;
    process.stdout.write(
      `lists, ${engine}: ${BATCH} creations in ${create.p50} s (${create.min}–${create.max}), ` +
        `changes in ${updateSeconds.toFixed(2)} s, reports in ${reportSeconds.toFixed(2)} s\n`,
    );
    await api.caughtUp(120_000);
    const lists = [];
    for (const list of LISTS) {
      const run = await walk(api, list);
      process.stdout.write(
        `lists, ${engine}, ${run.list}: p50 ${run.ms.p50} ms, p99 ${run.ms.p99} ms, max ${run.ms.max} ms\n`,
      );
      lists.push(run);
    }
    return { engine, batches, lists };
  } finally {
    await service.end("SIGKILL");
    await rm(directory, { recursive: true, force: true });
  }
};

/** Pages of a long list of signals, and batches, on both engines of control data. */
export const lists = async () => {
  const postgres = await PostgresServer.make();
  try {
    const runs = [
      await measure("SQLite", {}),
      await measure("PostgreSQL", {
        DATABASE_URL: postgres.url(),
        SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      }),
    ];
    return { parameters: { signals: SIGNALS, batch: BATCH, pages: PAGES, limit: LIMIT }, runs };
  } finally {
    await postgres.remove();
  }
};
