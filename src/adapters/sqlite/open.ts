import { open } from "node:fs/promises";
import { Mutex } from "async-mutex";
import { CompiledQuery } from "kysely";
import type { ControlStore } from "../../ports/control-store.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { createLocalLocks } from "../control/local-locks.ts";
import { type ControlOptions, openControlStore } from "../control/store.ts";
import { startWriteProbe } from "../control/write-probe.ts";
import { ThreadConnection } from "./connection.ts";
import { threadDialect } from "./dialect.ts";
import { createFailures } from "./failures.ts";

export interface SqliteControlOptions extends ControlOptions {
  /** The database file, made with mode 0600 if it is not there; its directory must exist. */
  readonly path: string;
  readonly telemetry: Telemetry;
  /** How long a statement waits for another process's lock. */
  readonly busyTimeoutMs?: number;
}

const BUSY_TIMEOUT_MS = 2000;
/** Writes the file's header as it is. */
const WRITE = CompiledQuery.raw("pragma user_version = 0");

/** Control data in one SQLite file, every commit durable; rejects as `openControlStore` does. */
export const openSqliteControl = async (options: SqliteControlOptions): Promise<ControlStore> => {
  const { path, telemetry, busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  const failures = createFailures(telemetry);
  // Its write-ahead log and shared memory take over the file's mode.
  await (await open(path, "a", 0o600)).close();
  const connection = await ThreadConnection.open({ path, busyTimeoutMs }, failures, options.clock);
  const mutex = new Mutex();
  const write = () => mutex.runExclusive(() => connection.executeQuery(WRITE));
  const stopProbe = startWriteProbe(failures.availability, write, options.clock);
  const columns = { text: "text", bytes: "blob" } as const;
  const health = () => failures.health(connection.busyMs);
  const dialect = threadDialect({ connection, mutex, failures });
  const engine = { dialect, columns, rowLocks: false, locks: createLocalLocks(), health };
  try {
    const store = await openControlStore(engine, options);
    const close = async () => {
      await stopProbe();
      await store.close();
    };
    return { ...store, close };
  } catch (error) {
    await stopProbe();
    throw error;
  }
};
