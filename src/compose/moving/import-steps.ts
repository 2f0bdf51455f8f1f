import { z } from "zod";
import type { CarriedRow } from "../../ports/control-store.ts";
import type { SeriesTable } from "../../ports/time-series.ts";
import type { Engines } from "../engines.ts";
import { linesOf, readArchived } from "./archive-file.ts";
import { SERIES_NAMES } from "./export-series.ts";
import type { ControlFile, Manifest, SeriesFile } from "./manifest.ts";

/** Rows of one transaction. */
const PAGE = 1_000;

/** Part of an import that may be done twice, but not before the one before it. */
export interface ImportStep {
  /** Steps of one name follow each other, and are told as one. */
  readonly name: string;
  readonly rows: number;
  run(): Promise<void>;
}

const Row: z.ZodType<CarriedRow> = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

const controlStep = (
  directory: string,
  { control }: Engines,
  { table, path, rows }: ControlFile,
): ImportStep => ({
  name: "control data",
  rows,
  run: async () => {
    const page: CarriedRow[] = [];
    for await (const line of linesOf(directory, path)) {
      page.push(Row.parse(JSON.parse(line)));
      if (page.length === PAGE) await control.transfer.add(table, page.splice(0));
    }
    if (page.length > 0) await control.transfer.add(table, page);
  },
});

const seriesStep = (
  directory: string,
  { timeSeries }: Engines,
  archive: string,
  { table, path, rows }: SeriesFile,
): ImportStep => ({
  name: SERIES_NAMES[table],
  rows,
  run: async () => {
    if (rows === 0) return;
    await timeSeries.transfer.insert(table, `import/${archive}/${path}`, await readArchived(directory, path));
  },
});

/** Readings were added up as they came, and minutes into hours; what the archive has of both takes the place of that. */
const clearStep = ({ timeSeries }: Engines, table: "readings_1m" | "readings_1h"): ImportStep => ({
  name: SERIES_NAMES[table],
  rows: 0,
  run: () => timeSeries.transfer.clear(table),
});

/** All of an archive but the evaluator's state, in the one order in which it is imported. */
export const stepsOf = (directory: string, manifest: Manifest, engines: Engines): ImportStep[] => {
  const { id, control, series } = manifest;
  const of = (wanted: SeriesTable) =>
    series.filter(({ table }) => table === wanted).map((file) => seriesStep(directory, engines, id, file));
  return [
    ...control.map((file) => controlStep(directory, engines, file)),
    ...of("readings"),
    clearStep(engines, "readings_1m"),
    ...of("readings_1m"),
    clearStep(engines, "readings_1h"),
    ...of("readings_1h"),
    ...of("events"),
  ];
};
