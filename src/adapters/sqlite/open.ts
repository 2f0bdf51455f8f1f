import { open } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../ports/clock.ts";
import type { ControlStore } from "../../ports/control-store.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { ControlEngine } from "../control/engine.ts";
import { type ControlOptions, openControlStore } from "../control/store.ts";
import { NodeSqliteDialect } from "./dialect.ts";
import { createFailures, type Failures } from "./failures.ts";

export interface SqliteControlOptions extends ControlOptions {
  /** The database file, made with mode 0600 if it is not there; its directory must exist. */
  readonly path: string;
  readonly telemetry: Telemetry;
  /** How long a statement waits for another process's lock; this process stands still meanwhile. */
  readonly busyTimeoutMs?: number;
}

const BUSY_TIMEOUT_MS = 2000;
const PRAGMAS = [
  "journal_mode = WAL",
  "synchronous = FULL",
  "foreign_keys = ON",
  "cache_size = -32768",
  "journal_size_limit = 67108864",
];

/** Its write-ahead log and shared memory take over the file's mode. */
const openDatabase = async (path: string, timeout: number): Promise<DatabaseSync> => {
  await (await open(path, "a", 0o600)).close();
  const database = new DatabaseSync(path, { timeout });
  try {
    for (const pragma of PRAGMAS) database.exec(`pragma ${pragma}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

const engineOf = (database: DatabaseSync, failures: Failures, clock: Clock): ControlEngine => ({
  dialect: new NodeSqliteDialect(database, failures, clock),
  columns: { text: "text", bytes: "blob" },
  rowLocks: false,
  giveWay: () => nextTurn(),
  health: failures.health,
});

/** Control data in one SQLite file, every commit durable; rejects as `openControlStore` does. */
export const openSqliteControl = async (options: SqliteControlOptions): Promise<ControlStore> => {
  const { path, telemetry, busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  const failures = createFailures(telemetry);
  const database = await openDatabase(path, busyTimeoutMs).catch((error: unknown) => {
    throw failures.named(error);
  });
  return openControlStore(engineOf(database, failures, options.clock), options);
};
