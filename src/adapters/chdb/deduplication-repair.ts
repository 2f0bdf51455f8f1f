import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { dropLines, faultsOf, type LogFaults } from "./deduplication-log.ts";
import { presenceIn } from "./part-name.ts";

const LOGS = "deduplication_logs";

const TableRepair = z.strictObject({
  table: z.string(),
  /** Lines without a part, taken back. */
  entriesDropped: z.number(),
  /** Files that ended within a line, cut to whole ones. */
  linesCut: z.number(),
});
export const RepairReport = z.strictObject({
  repaired: z.array(TableRepair),
  /** Tables whose log is of a format not known here, left as they are. */
  unreadable: z.array(z.string()),
});
export type RepairReport = z.infer<typeof RepairReport>;

interface Table {
  readonly name: string;
  readonly directory: string;
}
/** Runs a statement and gives its rows as `JSONCompactEachRow`. */
export type RunStatement = (sql: string) => Promise<string>;

/** None in a table without a window. */
const logNamesIn = async (directory: string): Promise<string[]> => {
  try {
    return await readdir(join(directory, LOGS));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
};

const directoriesIn = async (directory: string): Promise<string[]> =>
  (await readdir(directory, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** The faults of a table's log, or `unreadable`. Logs are read before parts: what is inserted meanwhile is no fault. */
const lookAt = async (directory: string): Promise<LogFaults | "unreadable"> => {
  const files = await Promise.all(
    (await logNamesIn(directory)).map(async (name) => ({
      name,
      text: await readFile(join(directory, LOGS, name), "latin1"),
    })),
  );
  return faultsOf(files, presenceIn(await directoriesIn(directory))) ?? "unreadable";
};

const isSound = ({ phantoms, torn }: LogFaults): boolean => phantoms.length === 0 && torn.length === 0;

const cut = async (path: string, length: number): Promise<void> => {
  const file = await open(path, "r+");
  try {
    await file.truncate(length);
    await file.sync();
  } finally {
    await file.close();
  }
};

const append = async (path: string, text: string): Promise<void> => {
  const file = await open(path, "a");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** Nobody else may have the table open. Killed within, it leaves what the next run mends. */
const mend = async (directory: string, { phantoms, torn, newest }: LogFaults): Promise<void> => {
  for (const { name, wholeLength } of torn) await cut(join(directory, LOGS, name), wholeLength);
  if (newest !== null && phantoms.length > 0)
    await append(join(directory, LOGS, newest), dropLines(phantoms));
};

const Tables = z.tuple([z.string(), z.array(z.string())]);

/** The tables of a database that keep a deduplication log. */
const tablesOf = async (run: RunStatement, database: string): Promise<Table[]> => {
  const rows = await run(
    `SELECT name, data_paths FROM system.tables WHERE database = '${database}' AND engine LIKE '%MergeTree' ORDER BY name`,
  );
  const lines = rows.split("\n").filter((line) => line !== "");
  return lines
    .map((line) => Tables.parse(JSON.parse(line)))
    .flatMap(([name, [directory]]) => (directory === undefined ? [] : [{ name, directory }]));
};

/**
 * Undoes what a kill left in the deduplication logs, so that ranges inserted again are neither lost nor doubled.
 * The caller's engine holds the directory's lock, and nobody inserts yet: a table with faults is detached, which makes
 * the engine let go of its log, mended, and attached, which makes it read the log again. A table that a kill left
 * detached is attached at the next start, as its detachment is not permanent.
 */
export const repairDeduplication = async (run: RunStatement, database: string): Promise<RepairReport> => {
  const report: RepairReport = { repaired: [], unreadable: [] };
  for (const { name, directory } of await tablesOf(run, database)) {
    const seen = await lookAt(directory);
    if (seen === "unreadable") report.unreadable.push(name);
    else if (!isSound(seen)) {
      await run(`DETACH TABLE ${database}.${name} SYNC`);
      const faults = await lookAt(directory);
      if (faults !== "unreadable") {
        await mend(directory, faults);
        report.repaired.push({
          table: name,
          entriesDropped: faults.phantoms.length,
          linesCut: faults.torn.length,
        });
      }
      await run(`ATTACH TABLE ${database}.${name}`);
    }
  }
  return report;
};

/** Whether a table of a running engine counts blocks as inserted that are not there. */
export const hasPhantoms = async (run: RunStatement, database: string): Promise<boolean> => {
  const looks = (await tablesOf(run, database)).map(({ directory }) => lookAt(directory));
  return (await Promise.all(looks)).some((seen) => seen !== "unreadable" && seen.phantoms.length > 0);
};
