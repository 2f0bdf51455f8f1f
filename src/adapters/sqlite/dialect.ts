import type { Mutex, MutexInterface } from "async-mutex";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  SqliteAdapter,
  SqliteDialect,
} from "kysely";
import type { ThreadConnection } from "./connection.ts";
import type { Failures } from "./failures.ts";

export interface ThreadParts {
  readonly connection: ThreadConnection;
  /** Held by whoever uses the connection. */
  readonly mutex: Mutex;
  readonly failures: Failures;
}

/** More than the service has callers at any time, unless the database hangs. */
const CALLERS_MAX = 10_000;

/** One connection, so one caller at a time: transactions follow one another. */
class ThreadDriver implements Driver {
  readonly #connection: ThreadConnection;
  readonly #mutex: Mutex;
  readonly #failures: Failures;
  #callers = 0;
  #release: MutexInterface.Releaser = () => undefined;

  constructor({ connection, mutex, failures }: ThreadParts) {
    this.#connection = connection;
    this.#mutex = mutex;
    this.#failures = failures;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#callers >= CALLERS_MAX) throw this.#failures.crowded(this.#callers);
    this.#callers++;
    this.#release = await this.#mutex.acquire();
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#callers--;
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
class ThreadAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
  /** Kysely would queue callers by itself, however many: the driver does, within its limit. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Kysely's SQLite, but for where the statements run. */
export const threadDialect = (parts: ThreadParts): Dialect => {
  // The driver is ours: its own, which would open the database here, is never made.
  const sqlite = new SqliteDialect({ database: () => Promise.reject(new Error("not used")) });
  return {
    createDriver: () => new ThreadDriver(parts),
    createAdapter: () => new ThreadAdapter(),
    createQueryCompiler: () => sqlite.createQueryCompiler(),
    createIntrospector: (db) => sqlite.createIntrospector(db),
  };
};
