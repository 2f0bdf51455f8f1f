import { createHash } from "node:crypto";
import { Mutex } from "async-mutex";
import pg, { type Client, type ClientConfig } from "pg";
import type { Clock } from "../../ports/clock.ts";
import type { HeldLock, Locks } from "../../ports/control-store.ts";
import type { Failures } from "./failures.ts";

/** A process that stands still loses its session, and with it every name: others need not wait for it. */
const SESSION_IDLE_MAX_MS = 5_000;
const HEARTBEAT_MS = 1_000;
/** Sooner than the server gives the names away. */
const ANSWER_MAX_MS = 3_000;

export interface LocksParts {
  readonly config: ClientConfig;
  /** Names are told apart by it, for a database may hold several installations. */
  readonly schema: string;
  readonly failures: Failures;
  readonly clock: Clock;
}

/** One session and what it holds. */
interface Session {
  readonly client: Client;
  readonly ended: AbortController;
  readonly held: Set<string>;
}

const keyOf = (schema: string, name: string): string =>
  createHash("sha256").update(`${schema}\0${name}`).digest().readBigInt64BE().toString();

/**
 * Session-level advisory locks (https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS) on one
 * connection of their own, kept alive by a heartbeat. The server ends the session of a process that is gone or frozen.
 */
export class PostgresLocks implements Locks {
  readonly #parts: LocksParts;
  readonly #mutex = new Mutex();
  readonly #stopHeartbeat: () => void;
  #session: Session | null = null;

  constructor(parts: LocksParts) {
    this.#parts = parts;
    this.#stopHeartbeat = parts.clock.every(HEARTBEAT_MS, () => this.#beat());
  }

  tryLock(name: string): Promise<HeldLock | null> {
    return this.#mutex.runExclusive(async () => {
      const session = this.#session ?? (await this.#connect());
      if (session.held.has(name)) return null;
      const key = keyOf(this.#parts.schema, name);
      if (!(await this.#ask(session, "select pg_try_advisory_lock($1) as done", key))) return null;
      session.held.add(name);
      let released: Promise<void> | null = null;
      const release = () => {
        released ??= this.#release(session, name, key);
        return released;
      };
      return { lost: session.ended.signal, release };
    });
  }

  async close(): Promise<void> {
    this.#stopHeartbeat();
    await this.#mutex.runExclusive(async () => {
      if (this.#session !== null) this.#end(this.#session, new Error("closed"));
    });
  }

  async #connect(): Promise<Session> {
    const client = new pg.Client({ ...this.#parts.config, query_timeout: ANSWER_MAX_MS });
    const session = { client, ended: new AbortController(), held: new Set<string>() };
    client.on("error", (error) => this.#end(session, error));
    client.on("end", () => this.#end(session, new Error("the session ended")));
    try {
      await client.connect();
      await client.query(`set idle_session_timeout = ${SESSION_IDLE_MAX_MS}`);
    } catch (error) {
      this.#end(session, error);
      throw this.#parts.failures.named(error);
    }
    this.#session = session;
    return session;
  }

  async #ask(session: Session, sql: string, key: string): Promise<boolean> {
    try {
      const { rows } = await session.client.query<{ done: boolean }>(sql, [key]);
      return rows[0]?.done === true;
    } catch (error) {
      this.#end(session, error);
      throw this.#parts.failures.named(error);
    }
  }

  #release(session: Session, name: string, key: string): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      if (session.ended.signal.aborted || !session.held.delete(name)) return;
      await this.#ask(session, "select pg_advisory_unlock($1) as done", key).catch(() => undefined);
    });
  }

  #beat(): void {
    const session = this.#session;
    session?.client.query("select 1").catch((error: unknown) => this.#end(session, error));
  }

  #end(session: Session, reason: unknown): void {
    if (this.#session === session) this.#session = null;
    if (session.ended.signal.aborted) return;
    session.ended.abort(reason);
    // Whatever it still waits for ends with it.
    session.client.end().catch(() => undefined);
  }
}
