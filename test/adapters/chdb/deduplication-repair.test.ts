import { appendFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repairDeduplication } from "../../../src/adapters/chdb/deduplication-repair.ts";
import { startChdb } from "../../../src/adapters/chdb/supervisor.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import { readingLine } from "../../../src/domain/reading-line.ts";
import { openChdb } from "../../support/chdb.ts";
import { temporaryDirectory } from "../../support/directory.ts";
import { readingsIn } from "../../support/readings.ts";
import { bytes, signalId } from "../../support/rows.ts";
import { testTelemetry } from "../../support/telemetry.ts";
import { until } from "../../support/until.ts";

const MONTHS = 5;
const JANUARY = Date.UTC(2025, 0, 15);
/** A reading in each of some months. */
const body = Array.from({ length: MONTHS }, (_, month) =>
  bytes(readingLine(signalId(month), JANUARY + month * 31 * 86_400_000, -42)),
);
const all = { raw: MONTHS, minute: MONTHS, hour: MONTHS };

const tableDirectory = (directory: string, table: string) => join(directory, "engine/data/signals", table);
const logOf = (directory: string, table: string) =>
  join(tableDirectory(directory, table), "deduplication_logs/deduplication_log_1.txt");

/** A directory in which an engine has inserted `body` once and was stopped. */
const insertedOnce = async (): Promise<string> => {
  const directory = await temporaryDirectory();
  const { timeSeries } = await openChdb(directory);
  await timeSeries.insertReadings("a", readingsIn(body));
  await timeSeries.close();
  return directory;
};

/** What a kill between the log's line and the part's rename leaves: the line, and no part. */
const removePart = async (directory: string, table: string): Promise<void> => {
  const parts = tableDirectory(directory, table);
  const [name] = (await readdir(parts)).filter((entry) => /^\d+_\d+_\d+_\d+$/.test(entry)).sort();
  if (name === undefined) throw new Error(`no part in ${parts}`);
  await rm(join(parts, name), { recursive: true });
};

const retried = async (directory: string) => {
  const { timeSeries } = await openChdb(directory);
  const before = await timeSeries.readingCounts();
  await timeSeries.insertReadings("a", readingsIn(body));
  const after = await timeSeries.readingCounts();
  await timeSeries.close();
  return { before, after };
};

test.each([
  ["readings", "raw"],
  ["readings_1m", "minute"],
  ["readings_1h", "hour"],
] as const)(
  "a part of %s that a kill kept from its place is inserted by the retry, and nothing else",
  async (table, count) => {
    const directory = await insertedOnce();
    await removePart(directory, table);
    const { before, after } = await retried(directory);
    expect(before[count]).toBeLessThan(MONTHS);
    expect({ ...before, [count]: MONTHS }).toEqual(all);
    expect(after).toEqual(all);
    // The mended log holds at the next starts too.
    expect(await retried(directory)).toEqual({ before: all, after: all });
  },
);

test("a line that a kill cut short does not make the engine forget the lines after it", async () => {
  const directory = await insertedOnce();
  for (const table of ["readings", "readings_1m", "readings_1h"])
    await appendFile(logOf(directory, table), "1\t202501_999_9");
  const { timeSeries } = await openChdb(directory);
  await timeSeries.insertReadings("b", readingsIn(body));
  await timeSeries.close();
  const second = await openChdb(directory);
  await second.timeSeries.insertReadings("b", readingsIn(body));
  expect(await second.timeSeries.readingCounts()).toEqual({ raw: 10, minute: 10, hour: 10 });
  await second.timeSeries.close();
});

test("an insert that fails after the engine noted its block is stored all the same", async () => {
  const directory = await temporaryDirectory();
  const telemetry = testTelemetry();
  const { chdb, timeSeries } = await openChdb(directory, telemetry);
  await timeSeries.insertReadings("a", readingsIn(body));
  const before = chdb.pid();
  // Where the next block's part would go; a file there lets no directory be renamed to it.
  const inTheWay = join(tableDirectory(directory, "readings"), `202501_${MONTHS + 1}_${MONTHS + 1}_0`);
  await writeFile(inTheWay, "");
  const inserting = timeSeries.insertReadings("b", readingsIn(body));
  await until("the engine to end itself", () => chdb.pid() !== before);
  await rm(inTheWay);
  await inserting;
  expect(await timeSeries.readingCounts()).toEqual({ raw: 10, minute: 10, hour: 10 });
  await timeSeries.close();
});

test("the log of an engine that is running is not touched by one that cannot have the directory", async () => {
  const directory = await insertedOnce();
  const { timeSeries } = await openChdb(directory);
  // As if that engine were just about to rename the part.
  await appendFile(logOf(directory, "readings"), "1\t202501_999_999_0\t202501_1_1\n");
  const before = await readFile(logOf(directory, "readings"), "latin1");
  const machine = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
  await expect(startChdb({ directory, lockWaitMs: 0, ...machine })).rejects.toThrow(/another process/);
  expect(await readFile(logOf(directory, "readings"), "latin1")).toBe(before);
  await timeSeries.close();
});

/** A table's directory with the given logs and parts, and an engine that lists it and notes what it is told. */
const madeTable = async (logs: Readonly<Record<string, string>>, parts: readonly string[]) => {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, "deduplication_logs"));
  for (const [name, text] of Object.entries(logs))
    await writeFile(join(directory, "deduplication_logs", name), text);
  for (const part of parts) await mkdir(join(directory, part));
  const statements: string[] = [];
  const run = async (sql: string) => {
    if (sql.startsWith("SELECT")) return `${JSON.stringify(["readings", [directory]])}\n`;
    statements.push(sql);
    return "";
  };
  const text = (name: string) => readFile(join(directory, "deduplication_logs", name), "latin1");
  return { repair: () => repairDeduplication(run, "signals"), statements, text };
};

test("a sound log is not touched, nor its table detached", async () => {
  const logs = { "deduplication_log_1.txt": "1\t2008_1_1_0\ta\n1\t2008_2_2_0\tb\n" };
  const table = await madeTable(logs, ["2008_1_2_1"]);
  expect(await table.repair()).toEqual({ repaired: [], unreadable: [] });
  expect(table.statements).toEqual([]);
});

test("torn lines are cut and phantoms dropped at the end of the newest log, with the table detached, once", async () => {
  const first = "1\t2008_1_1_0\ta\n1\t2008_2_2_0\tb\n";
  const table = await madeTable(
    { "deduplication_log_1.txt": first, "deduplication_log_2.txt": "1\t2008_3_3_0\tc\n1\t2008_4" },
    ["2008_1_1_0"],
  );
  expect(await table.repair()).toEqual({
    repaired: [{ table: "readings", entriesDropped: 2, linesCut: 1 }],
    unreadable: [],
  });
  expect(await table.text("deduplication_log_1.txt")).toBe(first);
  expect(await table.text("deduplication_log_2.txt")).toBe(
    "1\t2008_3_3_0\tc\n2\t2008_2_2_0\tb\n2\t2008_3_3_0\tc\n",
  );
  expect(table.statements).toEqual(["DETACH TABLE signals.readings SYNC", "ATTACH TABLE signals.readings"]);
  expect(await table.repair()).toEqual({ repaired: [], unreadable: [] });
});

test("a log of an unknown format is named and left as it is", async () => {
  const text = "format 2\n1\t2008_1_1_0\ta\n1\t2008";
  const table = await madeTable({ "deduplication_log_1.txt": text }, []);
  expect(await table.repair()).toEqual({ repaired: [], unreadable: ["readings"] });
  expect(await table.text("deduplication_log_1.txt")).toBe(text);
  expect(table.statements).toEqual([]);
});
