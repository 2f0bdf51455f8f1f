import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { SqliteDatabase, SqliteStatement } from "kysely";
import type { Failures } from "./failures.ts";

/** Prepared statements kept for the next use; the oldest goes first. */
const STATEMENTS_MAX = 200;

const isInput = (value: unknown): value is SQLInputValue =>
  value === null ||
  typeof value === "string" ||
  typeof value === "number" ||
  typeof value === "bigint" ||
  ArrayBuffer.isView(value);

const inputs = (parameters: readonly unknown[]): SQLInputValue[] =>
  parameters.map((value) => {
    if (!isInput(value)) throw new TypeError(`SQLite takes no ${typeof value} as a parameter`);
    return value;
  });

const READ_ONLY = /^\s*(select|pragma|rollback|begin)\b/i;

/** A statement as Kysely wants it, failures named. A write that stands committed says that the database is well. */
const adapted = (database: DatabaseSync, sql: string, statement: StatementSync, failures: Failures) => {
  const reads = READ_ONLY.test(sql);
  const guarded = <T>(run: () => T): T => {
    try {
      const result = run();
      if (!reads && !database.isTransaction) failures.recovered();
      return result;
    } catch (error) {
      throw failures.named(error);
    }
  };
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => guarded(() => statement.all(...inputs(parameters))),
    run: (parameters) => guarded(() => statement.run(...inputs(parameters))),
    iterate: (parameters) => guarded(() => statement.iterate(...inputs(parameters))),
  } satisfies SqliteStatement;
};

/** node:sqlite behind the interface of better-sqlite3 that Kysely's dialect knows. */
export const kyselyDatabase = (database: DatabaseSync, failures: Failures): SqliteDatabase => {
  const prepared = new Map<string, SqliteStatement>();
  const prepare = (sql: string): SqliteStatement => {
    try {
      return adapted(database, sql, database.prepare(sql), failures);
    } catch (error) {
      throw failures.named(error);
    }
  };
  return {
    close: () => database.close(),
    prepare: (sql) => {
      const statement = prepared.get(sql) ?? prepare(sql);
      prepared.delete(sql);
      prepared.set(sql, statement);
      const [oldest] = prepared.keys();
      if (prepared.size > STATEMENTS_MAX && oldest !== undefined) prepared.delete(oldest);
      return statement;
    },
  };
};
