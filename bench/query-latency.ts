import { join } from "node:path";
import { z } from "zod";
import { linePrefix, writeLine } from "../src/domain/line-writer.ts";
import { LINE_BYTES_MAX } from "../src/domain/reading-line.ts";
import type { Api } from "../test/support/api.ts";
import { openChdb } from "../test/support/chdb.ts";
import { readingsIn } from "../test/support/readings.ts";
import { type Measured, rounded, wait } from "./bench.ts";
import { evenFlow } from "./even-flow.ts";
import type { Feed } from "./frames.ts";
import { latencies } from "./quantiles.ts";
import { Sampler } from "./sampler.ts";
import { stageCounts, stageRates } from "./stages.ts";
import { Subject } from "./subject.ts";

/** How the names of these cases end. */
export const BESIDE = ", beside full ingest";
const WARM_UP_SECONDS = 10;
const FIRST_SIGHT_PER_SECOND = 10_000;
/** Of each kind: what some people at charts ask for, and what would keep a core busy by itself. */
const QUERIES_PER_SECOND = [5, 20];
/** At either pace: six lie above a p99. */
const QUERIES_OF_EACH_KIND = 600;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Of each signal: so far apart, but in the last hour. */
const HISTORY = { days: 30, everyMs: 10 * MINUTE_MS, lastHourEveryMs: MINUTE_MS };
/** What the bench of latency was measured with. */
export const QUERY_PARAMETERS = {
  queriesPerSecondOfEachKind: QUERIES_PER_SECOND,
  queriesOfEachKind: QUERIES_OF_EACH_KIND,
  history: HISTORY,
};
const SIGNALS_AT_ONCE = 20;

const Page = z.object({
  signals: z.array(z.object({ id: z.string() })),
  nextCursor: z.string().nullable(),
});

/** Where the next page of an answer begins; null where it is the last one, or no page. */
const Cursor = z.object({ nextCursor: z.string().nullable().default(null) });
const pageOf = (path: string, cursor: string | null): string =>
  cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;

const signalIds = async (api: Api): Promise<string[]> => {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const path = pageOf("/v1/signals?limit=500", cursor);
    const page: z.infer<typeof Page> = await api.expect(Page, "GET", path);
    ids.push(...page.signals.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return ids;
};

/** Before `now`, from the oldest on. */
const historyTimes = (now: number): number[] => {
  const every = (from: number, to: number, step: number) =>
    Array.from({ length: (to - from) / step }, (_, at) => from + at * step);
  return [
    ...every(now - HISTORY.days * DAY_MS, now - HOUR_MS, HISTORY.everyMs),
    ...every(now - HOUR_MS, now, HISTORY.lastHourEveryMs),
  ];
};

/** As if every signal had been told of for a month, now and then, and of late each minute. */
const storeHistory = async (directory: string, ids: readonly string[]): Promise<void> => {
  const { timeSeries } = await openChdb(join(directory, "time-series"));
  const times = historyTimes(Date.now());
  const body = new Uint8Array(SIGNALS_AT_ONCE * times.length * LINE_BYTES_MAX);
  try {
    for (let first = 0; first < ids.length; first += SIGNALS_AT_ONCE) {
      let end = 0;
      for (const id of ids.slice(first, first + SIGNALS_AT_ONCE)) {
        const prefix = linePrefix(id);
        for (const [at, time] of times.entries())
          end = writeLine(body, end, prefix, time, -40 - (at % 90) / 10);
      }
      await timeSeries.insertReadings(`bench history ${first}`, readingsIn([body.subarray(0, end)]));
    }
  } finally {
    await timeSeries.close();
  }
};

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();
const QUERIES: Record<string, (id: string) => string> = {
  "last hour of one signal by the minute": (id) =>
    `/v1/signals/${id}/readings?from=${ago(HOUR_MS)}&step=1m&limit=500`,
  "30 days by hour": (id) => `/v1/signals/${id}/readings?from=${ago(30 * DAY_MS)}&step=1h&limit=500`,
  "GET /v1/signals/{id}": (id) => `/v1/signals/${id}`,
};

/** On time whether earlier ones have been answered or not, each of another signal; timed from when each was due. */
const askSteadily = async (
  api: Api,
  ids: readonly string[],
  path: (id: string) => string,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
) => {
  const samples: number[] = [];
  let failed = 0;
  /** To its last page. */
  const ask = async (id: string, dueMs: number) => {
    const first = path(id);
    let cursor: string | null = null;
    do {
      const { status, body } = await api.call("GET", pageOf(first, cursor));
      if (status !== 200) return void failed++;
      cursor = Cursor.parse(body).nextCursor;
    } while (cursor !== null);
    samples.push(performance.timeOrigin + performance.now() - dueMs);
  };
  const asked: Promise<void>[] = [];
  for await (const dueMs of evenFlow(perSecond, perSecond * seconds))
    asked.push(ask(ids[(asked.length * 7) % ids.length] ?? "", dueMs));
  await Promise.all(asked);
  return { ...latencies(samples), answered: samples.length, failed };
};

/** Queries of each kind, so many a second, those of one between those of the others. */
const askAll = async (
  subject: Subject,
  ids: readonly string[],
  rate: { readonly perSecond: number; readonly seconds: number },
): Promise<Measured[]> => {
  const { api } = subject;
  const watched = { ...subject.watched(), client: [process.pid] };
  const [before, sampler, from] = [await stageCounts(api), new Sampler(watched), performance.now()];
  const kinds = Object.entries(QUERIES);
  const asked = kinds.map(async ([name, path], at) => {
    // Asked at the same moment they would only wait for one another.
    await wait(at / (kinds.length * rate.perSecond));
    return {
      name: `${name}, ${rate.perSecond}/s${BESIDE}`,
      figures: await askSteadily(api, ids, path, rate),
    };
  });
  const measured = await Promise.all(asked);
  const took = (performance.now() - from) / 1_000;
  const { readings, figures } = stageRates(before, await stageCounts(api), took);
  const beside = { "readings/s": rounded(figures["readings/s"] ?? 0) };
  const cost = sampler.cost(readings);
  return measured.map((one) => ({ ...one, figures: { ...beside, ...one.figures, ...cost } }));
};

/** Queries beside a sender that sends as much as is taken; null: as long as it takes to ask them all. */
export async function* queryLatencies(feed: Feed, seconds: number | null): AsyncGenerator<Measured> {
  const subject = await Subject.start({ feed });
  try {
    await subject.pace(FIRST_SIGHT_PER_SECOND);
    await subject.allKnown();
    await subject.pace(0);
    const ids = await signalIds(subject.api);
    await subject.stop("SIGTERM");
    await storeHistory(subject.directory, ids);
    await subject.launch();
    for (const perSecond of QUERIES_PER_SECOND) {
      await subject.pace(null);
      await wait(WARM_UP_SECONDS);
      const measured = await askAll(subject, ids, {
        perSecond,
        seconds: seconds ?? QUERIES_OF_EACH_KIND / perSecond,
      });
      // The machine's speed is looked at between two cases, with nothing beside it.
      await subject.drained();
      yield* measured;
    }
  } finally {
    await subject.end();
  }
}
