import { z } from "zod";
import type { Gap } from "../../domain/analysis/intervals.ts";
import type { GapsQuery, ReadingStatistics, StatisticsQuery } from "../../ports/time-series.ts";
import type { Connection } from "./connection.ts";
import { dateTime } from "./reading-queries.ts";

const HOUR_MS = 3_600_000;
/** Strengths are about -100 dBm: counted from there, sums of squares keep their digits. */
const SHIFT_DB = 100;
const MINUTE_SECONDS = 60;

/**
 * What there is of a signal in a span: `at_ms`, `n` readings with the mean `y`, their sum of squares `square`, least and
 * greatest. Of readings one each, of minutes those of one minute together.
 */
const VALUES: Readonly<Record<StatisticsQuery["of"], string>> = {
  readings: `SELECT toUnixTimestamp64Milli(at) AS at_ms, 1 AS n, toFloat64(strength) AS y, y * y AS square,
      strength AS low, strength AS high
    FROM readings
    WHERE signal_id = {signalId:String}
      AND at >= fromUnixTimestamp64Milli({fromMs:Int64}) AND at < fromUnixTimestamp64Milli({toMs:Int64})`,
  minutes: `SELECT toInt64(toUInt32(source.at)) * 1000 AS at_ms, sum(source.count) AS n, sum(source.sum) / n AS y,
      sum(source.sum_squares) AS square, min(source.min) AS low, max(source.max) AS high
    FROM readings_1m AS source
    WHERE signal_id = {signalId:String}
      AND source.at >= toDateTime({fromMinute:UInt32}) AND source.at < toDateTime({toMinute:UInt32})
    GROUP BY source.at`,
};

/** With the time of the one before, or of its own where there is none. */
const withNeighbours = (of: StatisticsQuery["of"]): string =>
  `SELECT *, lagInFrame(at_ms, 1, at_ms) OVER neighbours AS previous_ms,
     row_number() OVER neighbours > 1 AS has_previous, toInt64(at_ms - previous_ms) AS interval_ms
   FROM (${VALUES[of]})
   WINDOW neighbours AS (ORDER BY at_ms ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`;

const span = ({ signalId, fromMs, toMs }: Pick<StatisticsQuery, "signalId" | "fromMs" | "toMs">) => ({
  signalId,
  fromMs,
  toMs,
  fromMinute: dateTime(Math.floor(fromMs / 1000 / MINUTE_SECONDS) * MINUTE_SECONDS),
  toMinute: dateTime(Math.ceil(toMs / 1000 / MINUTE_SECONDS) * MINUTE_SECONDS),
});

const Quantiles = z.tuple([z.number(), z.number(), z.number()]);
const IntervalQuantiles = z.tuple([
  z.number().nullable(),
  z.number().nullable(),
  z.number().nullable(),
  z.number().nullable(),
]);
const Columns = z.tuple([
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  Quantiles,
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  IntervalQuantiles,
]);

const statisticsOf = (row: z.infer<typeof Columns>): ReadingStatistics => {
  const [count, min, max, meanZ, variance, [p5, p50, p95], qualityMean, firstMs, lastMs, ...rest] = row;
  const [x, xx, xz, neighbours, of] = rest;
  const mean = meanZ - SHIFT_DB;
  const [q25, q50, q75, q99] = of;
  const known = q25 !== null && q50 !== null && q75 !== null && q99 !== null;
  return {
    count,
    min,
    max,
    mean,
    stddev: Math.sqrt(Math.max(0, variance)),
    p5,
    p50,
    p95,
    qualityMean,
    firstMs,
    lastMs,
    trend:
      firstMs === lastMs
        ? null
        : {
            dbPerHour: xz / xx,
            meanMs: firstMs + x * HOUR_MS,
            meanDbm: mean,
            residualDb: Math.sqrt(Math.max(0, variance - xz ** 2 / xx)),
          },
    intervals: neighbours > 0 && known ? { count: neighbours, q25, q50, q75, q99 } : null,
  };
};

/** `x` hours from the first reading, `z` the strength shifted; a line of least squares has the slope cov(x, z) / var(x). */
export const selectStatistics = async (
  connection: Connection,
  query: StatisticsQuery,
): Promise<ReadingStatistics | null> => {
  const rows = await connection.select(
    Columns,
    `WITH (SELECT min(at_ms) FROM (${VALUES[query.of]})) AS first_ms
     SELECT sum(n) AS readings, min(low), max(high), sum(n * z) / readings AS mean_z, sum(zz) / readings - mean_z * mean_z,
       quantilesTDigestWeighted(0.05, 0.5, 0.95)(y, toUInt64(n)),
       sum(n * greatest(0, least(1, (y - {floorDbm:Float64}) / ({ceilingDbm:Float64} - {floorDbm:Float64})))) / readings,
       any(first_ms), max(at_ms),
       sum(n * x) / readings AS mean_x, sum(n * x * x) / readings - mean_x * mean_x,
       sum(n * x * z) / readings - mean_x * mean_z,
       countIf(has_previous), quantilesTDigestIf(0.25, 0.5, 0.75, 0.99)(interval_ms, has_previous)
     FROM (
       SELECT *, (at_ms - first_ms) / ${HOUR_MS} AS x, y + ${SHIFT_DB} AS z,
         square + ${2 * SHIFT_DB} * n * y + ${SHIFT_DB ** 2} * n AS zz
       FROM (${withNeighbours(query.of)})
     )
     HAVING readings > 0`,
    { ...span(query), floorDbm: query.floorDbm, ceilingDbm: query.ceilingDbm },
  );
  const [row] = rows;
  return row === undefined ? null : statisticsOf(row);
};

const GapColumns = z.tuple([z.number(), z.number()]).transform(([fromMs, toMs]): Gap => ({ fromMs, toMs }));

export const selectGaps = (connection: Connection, query: GapsQuery): Promise<Gap[]> =>
  connection.select(
    GapColumns,
    `SELECT previous_ms, at_ms FROM (
       SELECT previous_ms, at_ms FROM (${withNeighbours(query.of)})
       WHERE has_previous AND interval_ms > {longerThanMs:Int64}
       ORDER BY interval_ms DESC, at_ms LIMIT {limit:UInt32}
     ) ORDER BY at_ms`,
    { ...span(query), longerThanMs: Math.floor(query.longerThanMs), limit: query.limit },
  );
