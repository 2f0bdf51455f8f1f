import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import type { Pool } from "pg";
import type { Gauge } from "../../ports/telemetry.ts";
import { PooledConnection } from "./connection.ts";
import type { Failures } from "./failures.ts";

export interface PoolParts {
  readonly pool: Pool;
  readonly failures: Failures;
  /** Those who wait for a connection. */
  readonly waiting: Gauge;
}

/** More than the service has callers at any time, unless the database hangs. */
const CALLERS_MAX = 10_000;

const ours = (connection: DatabaseConnection): PooledConnection => {
  if (connection instanceof PooledConnection) return connection;
  throw new TypeError("a connection of another driver");
};

/** Kysely's own driver for `pg`, but for what it leaves out: named errors, a bound on callers, no broken connection reused. */
class PoolDriver implements Driver {
  readonly #parts: PoolParts;
  #callers = 0;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const { pool, failures, waiting } = this.#parts;
    if (this.#callers >= CALLERS_MAX) throw failures.crowded(this.#callers);
    this.#callers++;
    try {
      const connecting = pool.connect();
      waiting.set(pool.waitingCount);
      return new PooledConnection(await connecting, failures);
    } catch (error) {
      this.#callers--;
      throw failures.named(error);
    } finally {
      waiting.set(pool.waitingCount);
    }
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.#callers--;
    ours(connection).release();
  }

  beginTransaction = (connection: DatabaseConnection): Promise<void> => ours(connection).begin();
  commitTransaction = (connection: DatabaseConnection): Promise<void> => ours(connection).commit();
  rollbackTransaction = (connection: DatabaseConnection): Promise<void> => ours(connection).rollback();

  async destroy(): Promise<void> {
    await this.#parts.pool.end();
  }
}

/** Kysely's PostgreSQL over a pool of our own. */
export const poolDialect = (parts: PoolParts): Dialect => ({
  createDriver: () => new PoolDriver(parts),
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createIntrospector: (db) => new PostgresIntrospector(db),
});
