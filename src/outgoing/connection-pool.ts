import { Connection, type ConnectionOptions } from "./connection.ts";

export interface PoolLimits {
  readonly connectionsPerOrigin: number;
  /** Over all origins; beyond it the one that has been idle for longest is closed. */
  readonly idleConnections: number;
}

export interface Taker {
  /** Whether a connection would still be of use. */
  isInTime(): boolean;
  take(connection: Connection): void;
}

interface Origin {
  /** Those in use included. */
  open: number;
  /** The one used last comes last, and is taken first: few stay warm. */
  readonly idle: Connection[];
  readonly takers: Set<Taker>;
}

const nextOf = ({ takers }: Origin): Taker | undefined => {
  for (const taker of takers) {
    takers.delete(taker);
    if (taker.isInTime()) return taker;
  }
  return undefined;
};

/** The connections to all origins. Each is with one request, idle, or gone. */
export class ConnectionPool {
  readonly #options: ConnectionOptions;
  readonly #limits: PoolLimits;
  readonly #origins = new Map<string, Origin>();
  /** The one idle for longest comes first. */
  readonly #idle = new Set<Connection>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: ConnectionOptions, limits: PoolLimits) {
    this.#options = options;
    this.#limits = limits;
  }

  /**
   * Gives a connection to `taker`, at once or when one is free. What is given must come back by `give` or `discard`,
   * once. The returned function takes back the wish, if it is still open.
   */
  take(origin: string, taker: Taker): () => void {
    const known = this.#origin(origin);
    const idle = known.idle.pop();
    if (idle !== undefined) {
      this.#idle.delete(idle);
      taker.take(idle);
    } else if (known.open < this.#limits.connectionsPerOrigin) {
      known.open++;
      taker.take(this.#open(origin));
    } else {
      known.takers.add(taker);
      return () => known.takers.delete(taker);
    }
    return () => undefined;
  }

  /** The connection has carried an answer to its end. */
  give(connection: Connection): void {
    connection.served();
    const origin = this.#origin(connection.origin);
    const taker = nextOf(origin);
    if (taker === undefined) this.#rest(origin, connection);
    else taker.take(connection);
  }

  /** The connection is of no further use. */
  discard(connection: Connection): void {
    this.#destroy(connection);
    const origin = this.#origin(connection.origin);
    const taker = nextOf(origin);
    if (taker === undefined) origin.open--;
    else taker.take(this.#open(connection.origin));
    if (origin.open === 0) this.#origins.delete(connection.origin);
  }

  /** A new connection in the place of one that is of no further use. */
  replace(connection: Connection): Connection {
    this.#destroy(connection);
    return this.#open(connection.origin);
  }

  /** To how many origins anything is kept. */
  get origins(): number {
    return this.#origins.size;
  }

  /** How many connections there are, how many of them are idle, and how many requests wait for one. */
  counts(): { open: number; idle: number; waiting: number } {
    const origins = [...this.#origins.values()];
    const sum = (of: (origin: Origin) => number) => origins.reduce((total, one) => total + of(one), 0);
    return { open: sum(({ open }) => open), idle: this.#idle.size, waiting: sum((one) => one.takers.size) };
  }

  /** Nothing may be in use any more. */
  async close(): Promise<void> {
    for (const connection of this.#idle) this.#lost(connection);
    await Promise.all(this.#closing);
  }

  #origin(name: string): Origin {
    const known = this.#origins.get(name);
    if (known !== undefined) return known;
    const origin: Origin = { open: 0, idle: [], takers: new Set() };
    this.#origins.set(name, origin);
    return origin;
  }

  #open(origin: string): Connection {
    return new Connection(origin, this.#options, (connection) => this.#lost(connection));
  }

  #rest(origin: Origin, connection: Connection): void {
    origin.idle.push(connection);
    this.#idle.add(connection);
    const [oldest] = this.#idle;
    if (this.#idle.size > this.#limits.idleConnections && oldest !== undefined) this.#lost(oldest);
  }

  /** One in use is left to its request: undici connects anew where it had not been sent yet. */
  #lost(connection: Connection): void {
    if (!this.#idle.delete(connection)) return;
    const { idle } = this.#origin(connection.origin);
    idle.splice(idle.indexOf(connection), 1);
    this.discard(connection);
  }

  #destroy(connection: Connection): void {
    const closed = connection.destroy().finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }
}
