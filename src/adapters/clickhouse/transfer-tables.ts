import type { SeriesTable } from "../../ports/time-series.ts";
import { EVENT_COLUMNS } from "./event-rows.ts";

/** How the rows of a table are read and written as they are, whatever the engine merges meanwhile. */
export interface TransferTable {
  /** What an insert names, in the order of `select`. */
  readonly columns: readonly [string, ...string[]];
  readonly select: string;
  /** After the table's name. */
  readonly final: boolean;
  readonly groupBy: string | null;
  /** The second column of its order, as `select` shows it, and made of a parameter of that name again. */
  readonly second: { readonly column: string; readonly shown: string; of(parameter: string): string };
  /** The first one. */
  readonly first: string;
  /** Of a piece: some 25 MB. */
  readonly rows: number;
}

const ROLLUP: TransferTable = {
  columns: ["signal_id", "at", "count", "sum", "sum_squares", "min", "max"],
  // Parts that are not merged yet have several rows of one key.
  select:
    "signal_id, source.at, sum(source.count), sum(source.sum), sum(source.sum_squares), min(source.min), max(source.max)",
  final: false,
  groupBy: "signal_id, source.at",
  first: "signal_id",
  second: {
    column: "source.at",
    shown: "toUnixTimestamp(source.at)",
    of: (parameter) => `toDateTime({${parameter}:UInt32}, 'UTC')`,
  },
  rows: 250_000,
};

export const TRANSFER_TABLES: Readonly<Record<SeriesTable, TransferTable>> = {
  readings: {
    columns: ["signal_id", "at_ms", "strength"],
    select: "signal_id, toUnixTimestamp64Milli(source.at), strength",
    final: false,
    groupBy: null,
    first: "signal_id",
    second: {
      column: "source.at",
      shown: "toUnixTimestamp64Milli(source.at)",
      of: (parameter) => `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`,
    },
    rows: 500_000,
  },
  readings_1m: ROLLUP,
  readings_1h: ROLLUP,
  events: {
    columns: EVENT_COLUMNS,
    select: "id, position, account_id, signal_id, kind, toUnixTimestamp64Milli(created_at), sequence, event",
    final: true,
    groupBy: null,
    first: "account_id",
    second: { column: "id", shown: "id", of: (parameter) => `{${parameter}:String}` },
    rows: 10_000,
  },
};
