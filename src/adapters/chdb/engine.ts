import { Semaphore } from "async-mutex";
import type { ChdbResult, Session } from "chdb";
import type { Clock } from "../../ports/clock.ts";
import { type InsertStatement, insertFrom } from "./statement.ts";

/**
 * A connection runs one query at a time, so each kind has its own: a long read never holds up an insert. Where cores are
 * short, a query waits for them at each of its steps, and only others beside it keep them in use.
 */
const READERS = 4;
const WRITERS = 2;
export const CONNECTIONS = READERS + WRITERS;
const WAITING_MAX = 64;
const LOCK_RETRY_MS = 100;

/** More is asked than the bounded queues hold; ClickHouse's own code for it is 202. */
export class EngineBusyError extends Error {
  override readonly name = "EngineBusyError";
}
/** The native package is not installed, or not for this platform. */
export class EngineMissingError extends Error {
  override readonly name = "EngineMissingError";
}

export interface Engine {
  /** `database`, here and below: the engine's own unless given. */
  query(sql: string, format: string, database?: string): Promise<ChdbResult>;
  /** `path`: where the rows are, in the statement's format. */
  insert(
    statement: InsertStatement,
    settings: Readonly<Record<string, string>>,
    path: string,
    database?: string,
  ): Promise<void>;
  /** Waits for what is running, then closes. */
  close(): Promise<void>;
}

const lanes = (sessions: readonly Session[]) => {
  const free = [...sessions];
  const semaphore = new Semaphore(sessions.length);
  let waiting = 0;
  return async <T>(task: (session: Session) => Promise<T>): Promise<T> => {
    if (waiting >= WAITING_MAX) throw new EngineBusyError("too many queries are waiting");
    waiting++;
    const [, release] = await semaphore.acquire();
    waiting--;
    const session = free.pop();
    if (session === undefined) throw new Error("a lane without its connection");
    try {
      return await task(session);
    } finally {
      free.push(session);
      release();
    }
  };
};

/** What each connection has last said USE for. */
const currentDatabases = (sessions: readonly Session[], own: string) => {
  const current = new Map(sessions.map((session) => [session, own]));
  return async (session: Session, database = own): Promise<Session> => {
    if (current.get(session) !== database) await session.queryAsync(`USE ${database}`);
    current.set(session, database);
    return session;
  };
};

const loadSession = async (): Promise<typeof Session> => {
  try {
    return (await import("chdb")).Session;
  } catch (error) {
    throw new EngineMissingError(error instanceof Error ? error.message : String(error));
  }
};

/** A process that died a moment ago may hold the directory's lock a little longer. */
const openFirst = async (open: () => Session, clock: Clock, lockWaitMs: number): Promise<Session> => {
  const deadline = clock.monotonic() + lockWaitMs;
  for (;;) {
    try {
      return open();
    } catch (error) {
      if (clock.monotonic() > deadline) throw error;
    }
    await clock.sleep(LOCK_RETRY_MS);
  }
};

export interface EngineOptions {
  readonly directory: string;
  /** Made if it is not there, and used where a request names none. */
  readonly database: string;
  /** Server settings such as `mark_cache_size`, fixed at start. */
  readonly settings: Readonly<Record<string, number>>;
  readonly lockWaitMs: number;
  readonly clock: Clock;
}

/** Opens the engine on a data directory of its own. */
export const openEngine = async ({
  directory,
  database,
  settings,
  lockWaitMs,
  clock,
}: EngineOptions): Promise<Engine> => {
  const Connection = await loadSession();
  const connectionArgs = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const open = () => new Connection(directory, { connectionArgs });
  const first = await openFirst(open, clock, lockWaitMs);
  const sessions = [first, ...Array.from({ length: CONNECTIONS - 1 }, open)];
  await first.queryAsync(`CREATE DATABASE IF NOT EXISTS ${database} ENGINE = Atomic`);
  for (const session of sessions) await session.queryAsync(`USE ${database}`);
  const using = currentDatabases(sessions, database);
  const read = lanes(sessions.slice(0, READERS));
  const write = lanes(sessions.slice(READERS));
  const running = new Set<Promise<unknown>>();
  const tracked = <T>(promise: Promise<T>): Promise<T> => {
    const settled: Promise<unknown> = promise.then(
      () => running.delete(settled),
      () => running.delete(settled),
    );
    running.add(settled);
    return promise;
  };
  return {
    query: (sql, format, wanted) =>
      tracked(read(async (lane) => (await using(lane, wanted)).queryAsync(sql, { format }))),
    insert: (statement, insertSettings, path, wanted) =>
      tracked(
        write(async (lane) => {
          await (await using(lane, wanted)).queryAsync(insertFrom(statement, path, insertSettings));
        }),
      ),
    close: async () => {
      await Promise.all(running);
      for (const session of sessions) session.close();
    },
  };
};
