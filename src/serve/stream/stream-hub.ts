import type { WebSocket } from "ws";
import { StreamClose } from "../../../schemas/stream.ts";
import type { Counter, Gauge, Logger, Telemetry } from "../../ports/telemetry.ts";
import { allows } from "../authentication.ts";
import { Background } from "../background.ts";
import type { Caller } from "../caller.ts";
import { Connection } from "./connection.ts";
import { StreamClient, type StreamEnd } from "./stream-client.ts";
import type { StreamParts } from "./stream-parts.ts";

const SHUTTING_DOWN: StreamEnd = [StreamClose.shuttingDown, "shutting down"];
const UNAUTHENTICATED: StreamEnd = [StreamClose.unauthenticated, "a valid API key or ticket is needed"];
const NOT_ALLOWED: StreamEnd = [StreamClose.unauthenticated, "the API key lacks the scope read"];
const KEY_ENDED: StreamEnd = [StreamClose.unauthenticated, "the API key holds no more"];
const FULL: StreamEnd = [StreamClose.full, "too many streams are open"];
const GOODBYE_MS = 1_000;

/** Every open stream: lets peers in, notices the dead ones, and says goodbye to all. */
export class StreamHub {
  readonly #parts: StreamParts;
  readonly #background = new Background();
  readonly #connections = new Set<Connection>();
  readonly #clients: Gauge;
  readonly #dropped: Counter;
  readonly #conflated: Counter;
  readonly #log: Logger;
  readonly #endPings: () => void;
  #isStopping = false;
  #emptied: () => void = () => undefined;

  constructor(parts: StreamParts, { log, metrics }: Telemetry) {
    this.#parts = parts;
    this.#log = log;
    this.#clients = metrics.gauge("stream_clients", "Open streams.");
    this.#dropped = metrics.counter("stream_dropped_total", "Streams closed by the service.", ["reason"]);
    this.#conflated = metrics.counter(
      "stream_conflated_total",
      "Readings that a newer one replaced before they were sent.",
    );
    this.#endPings = parts.clock.every(parts.limits.streamPingMs, () => this.#pingAll());
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Takes a socket that was just opened; `key` is null where none was sent or it is not valid. */
  open(socket: WebSocket, key: Caller | null): void {
    const connection = new Connection(socket, this.#parts.limits.streamBufferedBytes);
    const refusal = this.#refusal(key);
    if (key === null || refusal !== null) connection.close(...(refusal ?? UNAUTHENTICATED));
    else this.#serve(socket, connection, key);
  }

  /** Closes every stream with 1001; peers that do not answer are cut off after a second. */
  async stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#endPings();
    for (const connection of this.#connections) connection.close(...SHUTTING_DOWN);
    if (this.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#emptied = resolve;
      const cancel = this.#parts.clock.after(GOODBYE_MS, () => {
        for (const connection of this.#connections) connection.terminate();
      });
      await promise;
      cancel();
    }
    await this.#background.settled();
  }

  #refusal(key: Caller | null): StreamEnd | null {
    if (this.#isStopping) return SHUTTING_DOWN;
    if (key === null) return UNAUTHENTICATED;
    if (!allows(key, "read")) return NOT_ALLOWED;
    return this.#parts.places.areLeft ? null : FULL;
  }

  #serve(socket: WebSocket, connection: Connection, key: Caller): void {
    const { keyWatch, places } = this.#parts;
    const client = this.#clientOf(connection, key);
    const unwatch = keyWatch.watch(key, () => this.#end(connection, "key_revoked", KEY_ENDED));
    places.take();
    this.#connections.add(connection);
    this.#clients.set(this.size);
    socket.on("message", (data, isBinary) => {
      connection.isAlive = true;
      if (connection.isOpen) client.take(data, isBinary);
    });
    socket.on("ping", () => {
      if (connection.isOpen) client.takePing();
    });
    socket.on("pong", () => {
      connection.isAlive = true;
    });
    socket.on("close", () => {
      client.stop();
      unwatch();
      places.leave();
      this.#connections.delete(connection);
      this.#clients.set(this.size);
      if (this.size === 0) this.#emptied();
    });
  }

  #clientOf(connection: Connection, { accountId }: Caller): StreamClient {
    return new StreamClient({
      parts: this.#parts,
      connection,
      accountId,
      background: this.#background,
      log: this.#log,
      conflated: this.#conflated,
      end: (reason, close) => this.#end(connection, reason, close),
    });
  }

  #end(connection: Connection, reason: string, [code, text]: StreamEnd): void {
    if (!connection.isOpen) return;
    this.#dropped.add(1, { reason });
    connection.close(code, text);
  }

  #pingAll(): void {
    for (const connection of this.#connections) {
      if (connection.isAlive) {
        connection.isAlive = false;
        connection.ping();
      } else {
        this.#dropped.add(1, { reason: "dead_peer" });
        connection.terminate();
      }
    }
  }
}
