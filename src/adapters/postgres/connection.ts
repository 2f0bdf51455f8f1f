import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import type { PoolClient } from "pg";
import { type Failures, isConnectionLost } from "./failures.ts";

const READ_ONLY = /^\s*(select|begin|rollback)\b/i;

/** A connection of the pool while somebody uses it. */
export class PooledConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #failures: Failures;
  #inTransaction = false;
  /** What broke it; it is not given to anybody else then. */
  #broken: Error | null = null;

  constructor(client: PoolClient, failures: Failures) {
    this.#client = client;
    this.#failures = failures;
  }

  async executeQuery<R>({
    sql,
    parameters,
  }: Pick<CompiledQuery, "sql" | "parameters">): Promise<QueryResult<R>> {
    const { rows, rowCount } = await this.#query(sql, parameters);
    if (!READ_ONLY.test(sql) && !this.#inTransaction) this.#failures.availability.recovered();
    // The rows are what the query's type says: Kysely's contract with every driver.
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("rows are asked for in pages, not as a stream");
  }

  async begin(): Promise<void> {
    await this.#query("begin", []);
    this.#inTransaction = true;
  }

  /** A server that had to give the transaction up before answers ROLLBACK, not an error. */
  async commit(): Promise<void> {
    this.#inTransaction = false;
    const { command } = await this.#query("commit", []);
    if (command !== "COMMIT") throw new Error("the transaction was aborted by an earlier error");
    this.#failures.availability.recovered();
  }

  /** Never throws: the error before it is the one to tell. */
  async rollback(): Promise<void> {
    this.#inTransaction = false;
    if (this.#broken === null) await this.#query("rollback", []).catch(() => undefined);
  }

  release(): void {
    this.#client.release(this.#broken ?? undefined);
  }

  async #query(sql: string, parameters: readonly unknown[]) {
    try {
      return await this.#client.query<Record<string, unknown>>(sql, [...parameters]);
    } catch (error) {
      if (isConnectionLost(error)) this.#broken = error instanceof Error ? error : new Error(String(error));
      throw this.#failures.named(error);
    }
  }
}
