import { api } from "../api/client.ts";
import { type Counted, gapMsOfReadings, gapMsOfSteps, stretchesOf } from "./gaps.ts";
import type { Range } from "./range.ts";

const PAGE = 500;
/** Of one chart: there are not more pixels. */
const PAGES_MAX = 12;
const FINEST_MAX_MS = 3_600_000;
const FINEST_PAGES_MAX = 4;
/** Of what comes live: a longer silence is a gap, until it is known what the signal's own rhythm is. */
const LIVE_GAP_MS = 60_000;
/** From so many on, what has come says that. */
const RHYTHM_OF = 5;
const STEP_MS = { raw: 0, "1m": 60_000, "5m": 300_000, "1h": 3_600_000, "1d": 86_400_000 } as const;

/** Columns of a chart: seconds, and strengths in dBm; a gap is a row without strengths. */
export interface History {
  readonly step: keyof typeof STEP_MS;
  /** The longest silence that a line is drawn over, ms. */
  readonly gapMs: number;
  readonly seconds: number[];
  readonly mean: (number | null)[];
  readonly min: (number | null)[];
  readonly max: (number | null)[];
}

/** One reading, or all of a step. */
interface Point extends Counted {
  readonly mean: number;
  readonly min: number;
  readonly max: number;
}

export const historyOf = (step: History["step"], points: readonly Point[]): History => {
  const gapMs = step === "raw" ? gapMsOfReadings(points) : gapMsOfSteps(points, STEP_MS[step]);
  const history: History = { step, gapMs, seconds: [], mean: [], min: [], max: [] };
  const row = (atMs: number, point: Point | null) => {
    history.seconds.push(atMs / 1_000);
    history.mean.push(point?.mean ?? null);
    history.min.push(point?.min ?? null);
    history.max.push(point?.max ?? null);
  };
  let before: number | null = null;
  for (const stretch of stretchesOf(points, gapMs)) {
    const [first] = stretch;
    if (before !== null && first !== undefined) row((before + first.atMs) / 2, null);
    for (const point of stretch) row(point.atMs, point);
    before = stretch.at(-1)?.atMs ?? before;
  }
  return history;
};

/** A reading that came live; without a strength: behind it something may be missing. */
export interface LivePoint {
  readonly atMs: number;
  readonly strength: number | null;
}

/** Live points with what history has between two of them, in place of the gap that a lost connection left; each once. */
export const filled = (
  live: readonly LivePoint[],
  readings: readonly LivePoint[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): LivePoint[] => {
  const isWithin = ({ atMs }: LivePoint) => atMs > fromMs && atMs < toMs;
  const within = new Map(readings.filter(isWithin).map((point) => [point.atMs, point]));
  return [
    ...live.filter(({ atMs }) => atMs <= fromMs),
    ...[...within.values()].sort((a, b) => a.atMs - b.atMs),
    ...live.filter(({ atMs }) => atMs >= toMs),
  ];
};

/** History with what has come since its last point; what it has already is left out, and gaps stay gaps. */
export const withLive = (history: History, live: readonly LivePoint[]): History => {
  const lastMs = (history.seconds.at(-1) ?? Number.NEGATIVE_INFINITY) * 1_000;
  const first = live.findIndex(({ atMs }) => atMs > lastMs);
  if (first < 0) return history;
  const fresh = live.slice(first);
  // Of what may be missing before it, history has only a part.
  let isBroken = live[first - 1]?.strength === null;
  const grown: History = {
    ...history,
    seconds: [...history.seconds],
    mean: [...history.mean],
    min: [...history.min],
    max: [...history.max],
  };
  const row = (atMs: number, strength: number | null) => {
    grown.seconds.push(atMs / 1_000);
    for (const column of [grown.mean, grown.min, grown.max]) column.push(strength);
  };
  const knownMs = history.seconds.length < RHYTHM_OF ? Math.max(LIVE_GAP_MS, history.gapMs) : history.gapMs;
  const heard = live.filter((point) => point.strength !== null);
  const liveMs = heard.length < RHYTHM_OF ? knownMs : gapMsOfReadings(heard);
  let gapMs = knownMs;
  let before = lastMs;
  for (const { atMs, strength } of fresh) {
    if (Number.isFinite(before) && (isBroken || atMs - before > gapMs)) row((before + atMs) / 2, null);
    row(atMs, strength);
    before = atMs;
    isBroken = false;
    gapMs = liveMs;
  }
  return grown;
};

const pageOf = (
  id: string,
  { fromMs, toMs }: Pick<Range, "fromMs" | "toMs">,
  cursor: string | null,
  step: "auto" | "raw",
  limit = PAGE,
) =>
  api.get("/v1/signals/{id}/readings", {
    params: {
      path: { id },
      query: {
        from: new Date(fromMs).toISOString(),
        to: new Date(toMs).toISOString(),
        limit,
        step,
        ...(cursor === null ? {} : { cursor }),
      },
    },
  });
type Page = Awaited<ReturnType<typeof pageOf>>;

const pointsOf = (page: Page): Point[] =>
  page.step === "raw"
    ? page.readings.map(({ at, strength }) => ({
        atMs: Date.parse(at),
        count: 1,
        mean: strength,
        min: strength,
        max: strength,
      }))
    : page.buckets.map(({ at, ...bucket }) => ({ atMs: Date.parse(at), ...bucket }));

/** When the first reading of a range was taken, Unix ms; null: it has none. */
export const fetchFirstMs = async (id: string, { fromMs, toMs }: Pick<Range, "fromMs" | "toMs">) => {
  const page = await pageOf(id, { fromMs, toMs }, null, "raw", 1);
  return pointsOf(page)[0]?.atMs ?? null;
};

/** Every reading between two moments, Unix ms; null: there are more than a page of them. */
export const fetchReadings = async (
  id: string,
  fromMs: number,
  toMs: number,
): Promise<LivePoint[] | null> => {
  const page = await pageOf(id, { fromMs, toMs }, null, "raw");
  if (page.step !== "raw" || page.nextCursor !== null) return null;
  return page.readings.map(({ at, strength }) => ({ atMs: Date.parse(at), strength }));
};

const allOf = async (id: string, range: Range, asked: "auto" | "raw", pagesMax: number) => {
  const points: Point[] = [];
  let cursor: string | null = null;
  let step: History["step"] = "raw";
  for (let page = 0; page < pagesMax; page++) {
    const one: Page = await pageOf(id, range, cursor, asked);
    step = one.step;
    points.push(...pointsOf(one));
    cursor = one.nextCursor;
    if (cursor === null) break;
  }
  return { history: historyOf(step, points), isWhole: cursor === null };
};

/** All of a range, in the step that the service chooses for it. */
export const fetchHistory = async (id: string, range: Range): Promise<History> =>
  (await allOf(id, range, "auto", PAGES_MAX)).history;

/** As `fetchHistory`, but each reading of a short range, where they are not too many: to see which one crossed a limit. */
export const fetchFinest = async (id: string, range: Range): Promise<History> => {
  if (range.toMs - range.fromMs <= FINEST_MAX_MS) {
    const { history, isWhole } = await allOf(id, range, "raw", FINEST_PAGES_MAX);
    if (isWhole) return history;
  }
  return fetchHistory(id, range);
};
