import { z } from "zod";
import { STRENGTH_MIN_DBM } from "../../../schemas/common.ts";
import type {
  BucketsQuery,
  RawReading,
  RawReadingsQuery,
  ReadingBucketRow,
} from "../../ports/time-series.ts";
import type { Connection } from "./connection.ts";

const RawColumns = z
  .tuple([z.number(), z.number()])
  .transform(([atMs, strength]): RawReading => ({ atMs, strength }));

export const selectRawReadings = async (
  connection: Connection,
  query: RawReadingsQuery,
): Promise<RawReading[]> => {
  const direction = query.newest === true ? "DESC" : "ASC";
  const rows = await connection.select(
    RawColumns,
    `SELECT toUnixTimestamp64Milli(at) AS at_ms, strength FROM readings
     WHERE signal_id = {signalId:String}
       AND at >= fromUnixTimestamp64Milli({fromMs:Int64}) AND at < fromUnixTimestamp64Milli({toMs:Int64})
       AND (at > fromUnixTimestamp64Milli({fromMs:Int64}) OR strength >= {strengthAtFrom:Float32})
     ORDER BY at ${direction}, strength ${direction} LIMIT {limit:UInt32} OFFSET {skip:UInt32}`,
    {
      signalId: query.signalId,
      fromMs: query.fromMs,
      toMs: query.toMs,
      limit: query.limit,
      strengthAtFrom: query.strengthAtFrom ?? STRENGTH_MIN_DBM,
      skip: query.skipAtFrom,
    },
  );
  return query.newest === true ? rows.reverse() : rows;
};

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3_600;
/** The smallest rollup that a step can be made of. */
const STEPS: Readonly<Record<BucketsQuery["step"], { table: string; seconds: number }>> = {
  "1m": { table: "readings_1m", seconds: MINUTE_SECONDS },
  "5m": { table: "readings_1m", seconds: 5 * MINUTE_SECONDS },
  "1h": { table: "readings_1h", seconds: HOUR_SECONDS },
  "1d": { table: "readings_1h", seconds: 24 * HOUR_SECONDS },
};

const BucketColumns = z
  .tuple([z.number(), z.number(), z.number(), z.number(), z.number()])
  .transform(([at, count, min, max, mean]): ReadingBucketRow => ({ atMs: at * 1000, count, min, max, mean }));

/** What a rollup's DateTime can hold: a later bound would begin again at 1970. */
const DATE_TIME_MAX_SECONDS = 2 ** 32 - 1;
export const dateTime = (seconds: number): number => Math.min(Math.max(0, seconds), DATE_TIME_MAX_SECONDS);

/** Buckets are counted from 1970 in UTC, and each is whole: the first one begins at or before `fromMs`. */
export const selectBuckets = (connection: Connection, query: BucketsQuery): Promise<ReadingBucketRow[]> => {
  const { table, seconds } = STEPS[query.step];
  return connection.select(
    BucketColumns,
    `SELECT intDiv(toUInt32(source.at), ${seconds}) * ${seconds} AS bucket, sum(source.count) AS readings,
       min(source.min), max(source.max), sum(source.sum) / readings
     FROM ${table} AS source
     WHERE signal_id = {signalId:String}
       AND source.at >= toDateTime({from:UInt32}) AND source.at < toDateTime({to:UInt32})
     GROUP BY bucket ORDER BY bucket LIMIT {limit:UInt32}`,
    {
      signalId: query.signalId,
      from: dateTime(Math.floor(query.fromMs / 1000 / seconds) * seconds),
      to: dateTime(Math.ceil(query.toMs / 1000 / seconds) * seconds),
      limit: query.limit,
    },
  );
};

/** Rows and the sums of both rollups' counts, at one moment as far as the engine gives one. */
export const selectCounts = async (connection: Connection) => {
  const rows = await connection.select(
    z.tuple([z.number(), z.number(), z.number()]),
    `SELECT (SELECT count() FROM readings), (SELECT sum(count) FROM readings_1m), (SELECT sum(count) FROM readings_1h)`,
  );
  const [raw = 0, minute = 0, hour = 0] = rows[0] ?? [];
  return { raw, minute, hour };
};
