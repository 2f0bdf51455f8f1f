import {
  SERIES_TABLES,
  type SeriesTable,
  type SeriesTransfer,
  type TimeSeries,
} from "../../ports/time-series.ts";
import { StartError } from "../start-error.ts";
import { writeArchived } from "./archive-file.ts";
import type { ExportJournal } from "./journal.ts";
import type { SeriesFile } from "./manifest.ts";
import { counted, type Terminal } from "./terminal.ts";

/** What a table's rows are called. */
export const SERIES_NAMES: Readonly<Record<SeriesTable, string>> = {
  readings: "readings",
  readings_1m: "minutes",
  readings_1h: "hours",
  events: "events",
};

interface Place {
  readonly transfer: SeriesTransfer;
  readonly directory: string;
  readonly journal: ExportJournal;
}

/** A stretch, piece by piece; those that are in the archive are passed over. */
async function* piecesOf({ transfer, directory, journal }: Place, table: SeriesTable, stretch: string) {
  for (let index = 0, after: SeriesFile["end"] = null; ; index++) {
    const path = `series/${table}/${stretch}-${String(index).padStart(6, "0")}.tsv.zst`;
    let file = await journal.find(path);
    if (file === null) {
      const { lines, rows, end } = await transfer.read(table, stretch, after);
      const mark = await writeArchived(directory, path, [lines]);
      file = { table, stretch, end: end === null ? null : [...end], path, ...mark, rows };
      await journal.add(file);
    }
    yield file;
    after = file.end;
    if (after === null) return;
  }
}

const exportTable = async (place: Place, table: SeriesTable, terminal: Terminal): Promise<SeriesFile[]> => {
  const step = terminal.step(SERIES_NAMES[table]);
  const files: SeriesFile[] = [];
  let [rows, bytes] = [0, 0];
  for (const stretch of await place.transfer.stretches(table))
    for await (const file of piecesOf(place, table, stretch)) {
      files.push(file);
      rows += file.rows;
      bytes += file.bytes;
      step.at(`${counted(rows)} rows`);
    }
  step.done(`${counted(rows)} rows, ${counted(Math.ceil(bytes / 2 ** 20))} MiB`);
  return files;
};

const rowsIn = (files: readonly SeriesFile[], wanted: SeriesTable): number =>
  files.reduce((sum, { table, rows }) => sum + (table === wanted ? rows : 0), 0);

/** Writes readings, both rollups and events; what they count must be the same before and after. */
export const exportSeries = async (
  { transfer }: TimeSeries,
  directory: string,
  journal: ExportJournal,
  terminal: Terminal,
): Promise<{ files: SeriesFile[]; counts: Record<SeriesTable, number> }> => {
  const before = await transfer.counts();
  const files: SeriesFile[] = [];
  for (const table of SERIES_TABLES)
    files.push(...(await exportTable({ transfer, directory, journal }, table, terminal)));
  const counts = await transfer.counts();
  const isSame = SERIES_TABLES.every((table) => before[table] === counts[table]);
  const isWhole = rowsIn(files, "readings") === counts.readings && rowsIn(files, "events") === counts.events;
  if (!isSame || !isWhole)
    throw new StartError(
      "The time series changed while it was written: somebody else uses it, or a limit of its age was still at work.\n" +
        `Delete ${directory} and run this again.`,
    );
  return { files, counts };
};
