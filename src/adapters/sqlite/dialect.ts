import { Mutex, type MutexInterface } from "async-mutex";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  SqliteAdapter,
  SqliteDialect,
} from "kysely";
import type { ThreadConnection } from "./connection.ts";

/** One connection, so one caller at a time: transactions follow one another. */
class ThreadDriver implements Driver {
  readonly #connection: ThreadConnection;
  readonly #mutex = new Mutex();
  #release: MutexInterface.Releaser = () => undefined;

  constructor(connection: ThreadConnection) {
    this.#connection = connection;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#release = await this.#mutex.acquire();
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  /** Takes the write lock at once: a transaction that reads first and then cannot upgrade would fail without waiting. */
  async beginTransaction(): Promise<void> {
    await this.#run("begin immediate");
  }

  async commitTransaction(): Promise<void> {
    await this.#run("commit");
  }

  /** A full disk may have rolled back already: then the first error is the one to tell. */
  async rollbackTransaction(): Promise<void> {
    if (this.#connection.inTransaction) await this.#run("rollback");
  }

  async destroy(): Promise<void> {
    await this.#connection.close();
  }

  async #run(sql: string): Promise<void> {
    await this.#connection.executeQuery(CompiledQuery.raw(sql));
  }
}

/** SQLite's DDL is transactional: a migration that was cut off leaves nothing behind. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Kysely's SQLite, but for where the statements run. */
export const threadDialect = (connection: ThreadConnection): Dialect => {
  // The driver is ours: its own, which would open the database here, is never made.
  const sqlite = new SqliteDialect({ database: () => Promise.reject(new Error("not used")) });
  return {
    createDriver: () => new ThreadDriver(connection),
    createAdapter: () => new TransactionalAdapter(),
    createQueryCompiler: () => sqlite.createQueryCompiler(),
    createIntrospector: (db) => sqlite.createIntrospector(db),
  };
};
