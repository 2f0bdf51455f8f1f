import { rm } from "node:fs/promises";
import { join } from "node:path";
import { KEY_CHECK } from "../../adapters/control/key-check.ts";
import { ulid } from "../../domain/ids.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import type { Engines } from "../engines.ts";
import { VERSION } from "../service.ts";
import { drain, drainedEnds } from "./drain.ts";
import { exportControl, exportState } from "./export-control.ts";
import { exportSeries } from "./export-series.ts";
import { ExportJournal } from "./journal.ts";
import { ARCHIVE_FORMAT, JOURNAL_FILE, type LogEnds, type Manifest, writeManifest } from "./manifest.ts";
import { counted, type Terminal } from "./terminal.ts";

/** The log's work is done first, so that all there is stands in control data, states and the time series. */
const finishLog = async (
  engines: Engines,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<LogEnds> => {
  const step = terminal.step("event log");
  await drain(engines, surroundings, step);
  const ends = await drainedEnds(engines);
  step.done("all of it is evaluated and recorded");
  return ends;
};

const writeControl = async ({ control }: Engines, directory: string, ends: LogEnds, terminal: Terminal) => {
  const step = terminal.step("control data");
  let rows = 0;
  const files = await exportControl(control, directory, (more) => {
    rows += more;
    step.at(`${counted(rows)} rows`);
  });
  const state = await exportState(control, ends, directory);
  step.done(`${counted(rows)} rows, and the state of ${counted(state.length)} partitions`);
  return { control: files, state };
};

/**
 * Writes everything that the engines hold into `directory`, ready to be imported elsewhere. Cut off anywhere, it is
 * called again: what is whole of the time series is kept, all else is written anew.
 */
export const exportTo = async (
  directory: string,
  engines: Engines,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<Manifest> => {
  const { clock, entropy } = surroundings;
  await engines.timeSeries.transfer.keepAll();
  const ends = await finishLog(engines, surroundings, terminal);
  const journal = await ExportJournal.open(directory, ends, ulid(clock.now(), entropy.bytes(10)));
  try {
    const series = await exportSeries(engines.timeSeries, directory, journal, terminal);
    const manifest = {
      format: ARCHIVE_FORMAT,
      id: journal.archiveId,
      program: VERSION,
      exportedAt: new Date(clock.now()).toISOString(),
      secretKeyCheck: (await engines.control.facts.get(KEY_CHECK)) ?? "",
      ends,
      ...(await writeControl(engines, directory, ends, terminal)),
      series: series.files,
      counts: series.counts,
    } satisfies Manifest;
    await writeManifest(directory, manifest);
    await rm(join(directory, JOURNAL_FILE), { force: true });
    return manifest;
  } finally {
    await journal.close();
  }
};
