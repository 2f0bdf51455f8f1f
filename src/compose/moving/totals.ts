import { SERIES_TABLES, type SeriesTable } from "../../ports/time-series.ts";
import type { Engines } from "../engines.ts";
import type { Manifest } from "./manifest.ts";
import { counted } from "./terminal.ts";

export interface Total {
  readonly name: string;
  readonly archived: number;
  readonly here: number;
}

const SERIES: Readonly<Record<SeriesTable, string>> = {
  readings: "readings",
  readings_1m: "readings in minutes",
  readings_1h: "readings in hours",
  events: "events",
};

/** What is not counted by its rows: some of them stay behind. */
const UNCOUNTED = new Set(["fact"]);
const words = (table: string): string => table.replaceAll("_", " ");

/** Everything that was carried, counted in the archive and where it is now. */
export const compareTotals = async (
  { control, series, counts }: Manifest,
  engines: Engines,
): Promise<Total[]> => {
  const { transfer } = engines.control;
  const here = await engines.timeSeries.transfer.counts();
  const totals: Total[] = [];
  for (const { table, rows } of control)
    if (!UNCOUNTED.has(table))
      totals.push({ name: words(table), archived: rows, here: await transfer.count(table) });
  for (const table of SERIES_TABLES)
    totals.push({ name: SERIES[table], archived: counts[table], here: here[table] });
  const lines = series.reduce((sum, { table, rows }) => sum + (table === "readings" ? rows : 0), 0);
  // The archive agrees with itself, too.
  return totals.concat(
    lines === counts.readings ? [] : [{ name: "lines of readings", archived: counts.readings, here: lines }],
  );
};

export const differ = ({ archived, here }: Total): boolean => archived !== here;

/** A table of totals, the differences marked. */
export const totalsText = (totals: readonly Total[]): string => {
  const rows = totals.map((total) => [
    total.name,
    counted(total.archived),
    counted(total.here),
    differ(total) ? "  differs" : "",
  ]);
  const table = [["", "in the archive", "here", ""], ...rows];
  const width = (column: number) => Math.max(...table.map((row) => row[column]?.length ?? 0));
  const [first, second, third] = [width(0), width(1), width(2)];
  return table
    .map(([name = "", archived = "", here = "", mark = ""]) =>
      `  ${name.padEnd(first)}  ${archived.padStart(second)}  ${here.padStart(third)}${mark}`.trimEnd(),
    )
    .join("\n");
};
