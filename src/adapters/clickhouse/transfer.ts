import { z } from "zod";
import type { Entropy } from "../../ports/clock.ts";
import type { SeriesKey, SeriesPiece, SeriesTable, SeriesTransfer } from "../../ports/time-series.ts";
import type { Connection, Parameters } from "./connection.ts";
import { FINAL_SETTINGS } from "./event-queries.ts";
import { exactlyOnce, onceById } from "./exactly-once.ts";
import { selectCounts } from "./reading-queries.ts";
import { applyRetention, KEEP_FOR_EVER } from "./retention.ts";
import { TRANSFER_TABLES, type TransferTable } from "./transfer-tables.ts";

const NEWLINE = 10;
const countLines = (bytes: Uint8Array): number => {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
  return lines;
};

/** By both columns of the order, in a form for which the primary index is used. */
const bound = ({ first, second }: TransferTable, sign: ">" | "<=", name: string): string => {
  const [value, strict] = [`{${name}0:String}`, sign === ">" ? ">" : "<"];
  return `(${first} ${strict} ${value} OR (${first} = ${value} AND ${second.column} ${sign} ${second.of(`${name}1`)}))`;
};

const parametersOf = (name: string, key: SeriesKey | null): Parameters =>
  key === null ? {} : { [`${name}0`]: key[0], [`${name}1`]: key[1] };

const Key = z
  .tuple([z.string(), z.union([z.string(), z.number()])])
  .transform(([first, second]): SeriesKey => [first, String(second)]);

/** The key of the last row of a piece; null when what is left is no more than one. */
const endOfPiece = async (
  connection: Connection,
  table: SeriesTable,
  where: string,
  parameters: Parameters,
  rows: number,
): Promise<SeriesKey | null> => {
  const { first, second } = TRANSFER_TABLES[table];
  const keys = await connection.select(
    Key,
    `SELECT ${first}, ${second.shown} FROM ${table} AS source WHERE ${where}
     ORDER BY ${first}, ${second.column} LIMIT 1 OFFSET {rows:UInt32}`,
    { ...parameters, rows: rows - 1 },
  );
  return keys[0] ?? null;
};

const readPiece = async (
  connection: Connection,
  table: SeriesTable,
  stretch: string,
  after: SeriesKey | null,
  rows?: number,
): Promise<SeriesPiece> => {
  const spec = TRANSFER_TABLES[table];
  const { select, first, second, groupBy, final } = spec;
  const from = { stretch, ...parametersOf("after", after) };
  const behind = after === null ? [] : [bound(spec, ">", "after")];
  const conditions = ["_partition_id = {stretch:String}", ...behind];
  const end = await endOfPiece(connection, table, conditions.join(" AND "), from, rows ?? spec.rows);
  if (end !== null) conditions.push(bound(spec, "<=", "end"));
  const lines = await connection.read(
    `SELECT ${select} FROM ${table} AS source ${final ? "FINAL" : ""} WHERE ${conditions.join(" AND ")}
     ${groupBy === null ? "" : `GROUP BY ${groupBy}`} ORDER BY ${first}, ${second.column}`,
    { ...from, ...parametersOf("end", end) },
    final ? FINAL_SETTINGS : {},
  );
  return { lines, rows: countLines(lines), end };
};

/** Pieces of tables as ClickHouse's own text: the shortest that reads back as the same number. */
export const createSeriesTransfer = (connection: Connection, entropy: Entropy): SeriesTransfer => ({
  stretches: async (table) => {
    const rows = await connection.select(
      z.tuple([z.string()]),
      `SELECT DISTINCT _partition_id AS id FROM ${table} ORDER BY id`,
    );
    return rows.map(([id]) => id);
  },
  read: (table, stretch, after, rows) => readPiece(connection, table, stretch, after, rows),
  insert: (table, token, lines) =>
    connection.insert({
      table,
      columns: TRANSFER_TABLES[table].columns,
      format: "TabSeparated",
      settings: () => (table === "events" ? onceById(token, entropy) : exactlyOnce(token)),
      body: lines,
    }),
  // A server keeps people from emptying large tables unless they say so.
  clear: (table) => connection.command(`TRUNCATE TABLE ${table} SETTINGS max_table_size_to_drop = 0`),
  keepAll: () => applyRetention(connection, KEEP_FOR_EVER),
  counts: async () => {
    const { raw, minute, hour } = await selectCounts(connection);
    const [[events] = [0]] = await connection.select(
      z.tuple([z.number()]),
      "SELECT count() FROM events FINAL",
      {},
      FINAL_SETTINGS,
    );
    return { readings: raw, readings_1m: minute, readings_1h: hour, events };
  },
});
