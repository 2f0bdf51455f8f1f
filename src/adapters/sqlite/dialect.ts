import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  CompiledQuery,
  type DatabaseConnection,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
} from "kysely";
import type { Clock } from "../../ports/clock.ts";
import type { Failures } from "./failures.ts";
import { kyselyDatabase } from "./statements.ts";

/** How long statements may follow one another before other work gets its turn. */
const TURN_MS = 5;

/** Takes the write lock at the start: one that reads first and then cannot upgrade would fail at once, without waiting. */
class ImmediateDriver extends SqliteDriver {
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  #turnedAt = 0;

  constructor(database: DatabaseSync, adapter: SqliteDatabase, clock: Clock) {
    super({ database: adapter });
    this.#database = database;
    this.#clock = clock;
  }

  /** Statements are synchronous: without this a caller's loop over them would keep everyone else waiting. */
  override async releaseConnection(): Promise<void> {
    if (this.#clock.monotonic() - this.#turnedAt < TURN_MS) return;
    await nextTurn();
    this.#turnedAt = this.#clock.monotonic();
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  /** A full disk may have rolled back already: then the first error is the one to tell. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.isTransaction) await super.rollbackTransaction(connection);
  }
}

/** SQLite's DDL is transactional: a migration that was cut off leaves nothing behind. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

export class NodeSqliteDialect extends SqliteDialect {
  readonly #database: DatabaseSync;
  readonly #adapter: SqliteDatabase;
  readonly #clock: Clock;

  constructor(database: DatabaseSync, failures: Failures, clock: Clock) {
    const adapter = kyselyDatabase(database, failures);
    super({ database: adapter });
    this.#database = database;
    this.#adapter = adapter;
    this.#clock = clock;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#database, this.#adapter, this.#clock);
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}
