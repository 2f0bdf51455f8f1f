import type { Clock } from "../ports/clock.ts";
import type { Connection, OutgoingRequest } from "./connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { Exchange, type ExchangeLimits } from "./exchange.ts";
import { exchangeFailure, exchangeTimeout, isClosed } from "./exchange-failure.ts";

export interface AttemptLimits extends ExchangeLimits {
  /** For the whole request: a free connection, the connection itself, headers and body. */
  readonly timeoutMs: number;
  readonly headerBytes: number;
  readonly connectionsPerOrigin: number;
}

export interface AttemptParts {
  readonly clock: Clock;
  readonly pool: ConnectionPool;
  readonly limits: AttemptLimits;
}

/**
 * What came of it: `failure` is null where there is a status, and an AttemptError unless the request could not be made
 * at all. The exchange is null if there was no connection.
 */
export interface Ended<Failure extends Error = Error> {
  readonly failure: Failure | null;
  readonly exchange: Exchange | null;
}

export interface AttemptEnds {
  /** Once, though the rest of an answer may still be read after it; not after `abort`. */
  settled(ended: Ended): void;
  /** Nothing is held any more. */
  left(): void;
}

/** One request: from a free connection to the end of its answer, within its time. */
export class Attempt {
  readonly #parts: AttemptParts;
  readonly #origin: string;
  readonly #request: OutgoingRequest;
  readonly #ends: AttemptEnds;
  #cancelDeadline: () => void = () => undefined;
  #withdraw: () => void = () => undefined;
  #connection: Connection | null = null;
  #exchange: Exchange | null = null;
  #isSettled = false;

  constructor(parts: AttemptParts, origin: string, request: OutgoingRequest, ends: AttemptEnds) {
    this.#parts = parts;
    this.#origin = origin;
    this.#request = request;
    this.#ends = ends;
  }

  start(): void {
    const { clock, pool, limits } = this.#parts;
    this.#cancelDeadline = clock.after(limits.timeoutMs, () => this.#timeOut());
    const endsAt = clock.monotonic() + limits.timeoutMs;
    this.#withdraw = pool.take(this.#origin, {
      isInTime: () => clock.monotonic() < endsAt,
      take: (connection) => this.#post(connection),
    });
  }

  abort(): void {
    this.#isSettled = true;
    this.#leave();
  }

  #post(connection: Connection): void {
    const exchange = new Exchange(this.#parts.limits, {
      answered: () => this.#settle(null),
      ended: () => this.#leave("whole"),
      broke: (error) => this.#broke(connection, error),
    });
    this.#connection = connection;
    this.#exchange = exchange;
    connection.post(this.#request, exchange);
  }

  /**
   * Sent again at once where a connection that has served before was closed before a byte of an answer: the far end had
   * most likely closed it already. The next connection is new, so there is no third time. Should the far end have taken
   * the request nevertheless, it gets it twice under one id, as it may at any time.
   */
  #broke(connection: Connection, error: Error): void {
    const { pool, limits } = this.#parts;
    const exchange = this.#exchange;
    if (connection !== this.#connection || exchange === null) return;
    if (connection.isUsed && exchange.progress === "sent" && isClosed(error)) {
      this.#post(pool.replace(connection));
    } else {
      this.#settle(exchangeFailure(error, exchange, limits.headerBytes));
      this.#leave();
    }
  }

  #timeOut(): void {
    this.#settle(exchangeTimeout(this.#exchange, this.#parts.limits.connectionsPerOrigin));
    this.#leave();
  }

  #settle(failure: Error | null): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#ends.settled({ failure, exchange: this.#exchange });
  }

  /** Lets go of all it holds; only a `whole` answer leaves a connection that can be used again. */
  #leave(rest: "whole" | "cut" = "cut"): void {
    const connection = this.#connection;
    this.#connection = null;
    this.#cancelDeadline();
    this.#withdraw();
    if (connection !== null && rest === "whole") this.#parts.pool.give(connection);
    else if (connection !== null) this.#parts.pool.discard(connection);
    this.#ends.left();
  }
}
