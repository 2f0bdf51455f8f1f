import { z } from "zod";
import type { SignalId } from "../../../schemas/common.ts";
import type { HoursCounted, HoursQuery } from "../../ports/time-series.ts";
import type { Connection } from "./connection.ts";
import { dateTime } from "./reading-queries.ts";

/** Ids of one query: they stand in its address, of which servers take 8 KB at the least. */
const IDS_MAX = 150;
const HOUR_SECONDS = 3_600;
const HOUR_MS = HOUR_SECONDS * 1000;

const countSome = async (
  connection: Connection,
  signalIds: readonly SignalId[],
  { fromMs, toMs }: HoursQuery,
): Promise<HoursCounted> => {
  const seconds = (hours: number) => dateTime(hours * HOUR_SECONDS);
  const [touchedFrom, wholeFrom] = [Math.floor(fromMs / HOUR_MS), Math.ceil(fromMs / HOUR_MS)];
  const [wholeTo, touchedTo] = [Math.floor(toMs / HOUR_MS), Math.ceil(toMs / HOUR_MS)];
  const rows = await connection.select(
    z.tuple([z.number(), z.number()]),
    `SELECT sum(source.count), sumIf(source.count,
       source.at >= toDateTime({wholeFrom:UInt32}) AND source.at < toDateTime({wholeTo:UInt32}))
     FROM readings_1h AS source
     WHERE signal_id IN {signalIds:Array(String)}
       AND source.at >= toDateTime({touchedFrom:UInt32}) AND source.at < toDateTime({touchedTo:UInt32})`,
    {
      signalIds,
      touchedFrom: seconds(touchedFrom),
      wholeFrom: seconds(wholeFrom),
      wholeTo: seconds(wholeTo),
      touchedTo: seconds(touchedTo),
    },
  );
  const [touched = 0, whole = 0] = rows[0] ?? [];
  return { touched, whole };
};

/** As the port says. */
export const countHours = async (connection: Connection, query: HoursQuery): Promise<HoursCounted> => {
  const sum = { touched: 0, whole: 0 };
  for (let from = 0; from < query.signalIds.length; from += IDS_MAX) {
    const some = await countSome(connection, query.signalIds.slice(from, from + IDS_MAX), query);
    sum.touched += some.touched;
    sum.whole += some.whole;
  }
  return sum;
};
