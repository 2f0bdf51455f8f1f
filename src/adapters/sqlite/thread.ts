/** The thread that SQLite runs in: each statement, fsync included, holds up nobody but those who wait for it. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { Fault, StatementReply, StatementRequest, ThreadArguments, ToThread } from "./messages.ts";

/** Prepared statements kept for the next use; the oldest goes first. */
const STATEMENTS_MAX = 200;
const PRAGMAS = [
  "journal_mode = WAL",
  "synchronous = FULL",
  "foreign_keys = ON",
  "cache_size = -32768",
  "journal_size_limit = 67108864",
];

const faultOf = (error: unknown): Fault => {
  const code =
    error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : null;
  return { message: error instanceof Error ? error.message : String(error), code };
};

const openDatabase = ({ path, busyTimeoutMs }: ThreadArguments): DatabaseSync => {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    for (const pragma of PRAGMAS) database.exec(`pragma ${pragma}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

interface Prepared {
  readonly statement: StatementSync;
  /** Whether it gives rows. */
  readonly isReader: boolean;
}

const prepareArrays = (database: DatabaseSync, sql: string): Prepared => {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return { statement, isReader: statement.columns().length > 0 };
};

const remembering = (database: DatabaseSync) => {
  const prepared = new Map<string, Prepared>();
  return (sql: string): Prepared => {
    const statement = prepared.get(sql) ?? prepareArrays(database, sql);
    prepared.delete(sql);
    prepared.set(sql, statement);
    const [oldest] = prepared.keys();
    if (prepared.size > STATEMENTS_MAX && oldest !== undefined) prepared.delete(oldest);
    return statement;
  };
};

const say = (reply: StatementReply): void => parentPort?.postMessage(reply);
const NOTHING = { fault: null, columns: [], rows: [], changes: 0, inTransaction: false };

const serve = (database: DatabaseSync): void => {
  const prepare = remembering(database);
  const execute = ({ id, sql, parameters }: StatementRequest): StatementReply => {
    try {
      const { statement, isReader } = prepare(sql);
      const rows = isReader ? statement.all(...parameters) : [];
      const changes = isReader ? 0 : Number(statement.run(...parameters).changes);
      // Asked for when it has run: by then it has seen a migration since it was prepared.
      const columns = rows.length > 0 ? statement.columns().map(({ name }) => name) : [];
      return { id, fault: null, columns, rows, changes, inTransaction: database.isTransaction };
    } catch (error) {
      return { ...NOTHING, id, fault: faultOf(error), inTransaction: database.isTransaction };
    }
  };
  parentPort?.on("message", (message: ToThread) => {
    if (message !== null) return say(execute(message));
    database.close();
    parentPort?.close();
  });
};

try {
  serve(openDatabase(workerData));
  say({ ...NOTHING, id: 0 });
} catch (error) {
  say({ ...NOTHING, id: 0, fault: faultOf(error) });
  parentPort?.close();
}
