import { once } from "node:events";
import type { SQLInputValue } from "node:sqlite";
import { Worker } from "node:worker_threads";
import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import type { Clock } from "../../ports/clock.ts";
import type { Failures } from "./failures.ts";
import type { StatementReply, StatementRequest, ThreadArguments } from "./messages.ts";

const READ_ONLY = /^\s*(select|pragma|rollback|begin)\b/i;

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

/** Rows come as lists of values. */
const objectsOf = ({ columns, rows }: StatementReply): Record<string, unknown>[] =>
  rows.map((values) => {
    const row: Record<string, unknown> = {};
    if (Array.isArray(values))
      for (let at = 0; at < columns.length; at++) row[columns[at] ?? ""] = values[at];
    return row;
  });

interface Waiting extends PromiseWithResolvers<StatementReply> {
  readonly askedAtMs: number;
}

/** The one connection to a database in a thread of its own. Statements run in the order in which they are given. */
export class ThreadConnection implements DatabaseConnection {
  readonly #worker: Worker;
  readonly #failures: Failures;
  readonly #clock: Clock;
  /** In the order of their asking. */
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #ended: Error | null = null;
  #isOpen = false;
  /** Whether a transaction is open: a full disk may have rolled one back by itself. */
  inTransaction = false;

  private constructor(options: ThreadArguments, failures: Failures, clock: Clock) {
    this.#failures = failures;
    this.#clock = clock;
    this.#worker = new Worker(new URL("thread.ts", import.meta.url), { workerData: options });
    this.#worker.on("message", (reply: StatementReply) => this.#waiting.get(reply.id)?.resolve(reply));
    this.#worker.on("error", (error) => this.#end(error));
    this.#worker.on("exit", () => this.#end(new Error("it has ended")));
  }

  /** Rejects with the port's error when the database cannot be opened. */
  static async open(options: ThreadArguments, failures: Failures, clock: Clock): Promise<ThreadConnection> {
    const connection = new ThreadConnection(options, failures, clock);
    connection.#checked(await connection.#reply(0));
    connection.#isOpen = true;
    return connection;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const request: StatementRequest = { id: ++this.#lastId, sql, parameters: inputs(parameters) };
    const answered = this.#reply(request.id);
    this.#worker.postMessage(request);
    const reply = this.#checked(await answered);
    if (!READ_ONLY.test(sql) && !this.inTransaction) this.#failures.recovered();
    // The rows are what the query's type says: Kysely's contract with every driver.
    return { rows: objectsOf(reply) as R[], numAffectedRows: BigInt(reply.changes) };
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("rows are asked for in pages, not as a stream");
  }

  /** For how long the oldest statement has waited for its answer. */
  get busyMs(): number {
    const [oldest] = this.#waiting.values();
    return oldest === undefined ? 0 : this.#clock.monotonic() - oldest.askedAtMs;
  }

  async close(): Promise<void> {
    if (this.#ended !== null) return;
    this.#ended = new Error("control data is closed");
    const exit = once(this.#worker, "exit");
    this.#worker.postMessage(null);
    await exit;
  }

  async #reply(id: number): Promise<StatementReply> {
    if (this.#ended !== null) throw this.#ended;
    const waiting = { ...Promise.withResolvers<StatementReply>(), askedAtMs: this.#clock.monotonic() };
    this.#waiting.set(id, waiting);
    try {
      return await waiting.promise;
    } finally {
      this.#waiting.delete(id);
    }
  }

  #checked(reply: StatementReply): StatementReply {
    this.inTransaction = reply.inTransaction;
    if (reply.fault !== null) throw this.#failures.named(reply.fault);
    return reply;
  }

  /** Nobody can go on without control data: as when SQLite fails in this very thread, the process ends, and is restarted. */
  #end(reason: Error): void {
    const isLost = this.#ended === null;
    const ended = this.#ended ?? this.#failures.lost(reason);
    this.#ended = ended;
    for (const waiting of this.#waiting.values()) waiting.reject(ended);
    if (isLost && this.#isOpen)
      setImmediate(() => {
        throw ended;
      });
  }
}
