import type { WebSocket } from "ws";
import { StreamClose } from "../../../schemas/stream.ts";
import type { StoredApiKey } from "../../ports/control-store.ts";
import type { Counter, Gauge, Telemetry } from "../../ports/telemetry.ts";
import { allows } from "../authentication.ts";
import { Background } from "../background.ts";
import { KEY_TTL_MS } from "../known-keys.ts";
import { Connection } from "./connection.ts";
import { StreamClient } from "./stream-client.ts";
import type { StreamParts } from "./stream-parts.ts";

const SHUTTING_DOWN = [StreamClose.shuttingDown, "shutting down"] as const;
const UNAUTHENTICATED = [StreamClose.unauthenticated, "a valid API key or ticket is needed"] as const;
/** 1013 of RFC 6455's registry: try again later. */
const FULL = [1013, "too many streams are open"] as const;
const GOODBYE_MS = 1_000;

/** Every open stream: lets peers in, notices the dead ones, and says goodbye to all. */
export class StreamHub {
  readonly #parts: StreamParts;
  readonly #background = new Background();
  readonly #connections = new Map<Connection, StoredApiKey>();
  readonly #clients: Gauge;
  readonly #dropped: Counter;
  readonly #conflated: Counter;
  readonly #endPings: () => void;
  readonly #endChecks: () => void;
  #isStopping = false;
  #emptied: () => void = () => undefined;

  constructor(parts: StreamParts, { log, metrics }: Telemetry) {
    this.#parts = parts;
    this.#clients = metrics.gauge("stream_clients", "Open streams.");
    this.#dropped = metrics.counter("stream_dropped_total", "Streams closed by the service.", ["reason"]);
    this.#conflated = metrics.counter(
      "stream_conflated_total",
      "Readings that a newer one replaced before they were sent.",
    );
    this.#endPings = parts.clock.every(parts.limits.streamPingMs, () => this.#pingAll());
    this.#endChecks = parts.clock.every(KEY_TTL_MS, () =>
      this.#background.run(
        () => this.#checkKeys(),
        (err) => log.warn({ err }, "stream_keys_not_checked"),
      ),
    );
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Takes a socket that was just opened; `key` is null where none was sent or it is not valid. */
  open(socket: WebSocket, key: StoredApiKey | null): void {
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
    this.#endChecks();
    for (const connection of this.#connections.keys()) connection.close(...SHUTTING_DOWN);
    if (this.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#emptied = resolve;
      const cancel = this.#parts.clock.after(GOODBYE_MS, () => {
        for (const connection of this.#connections.keys()) connection.terminate();
      });
      await promise;
      cancel();
    }
    await this.#background.settled();
  }

  #refusal(key: StoredApiKey | null): readonly [code: number, reason: string] | null {
    if (this.#isStopping) return SHUTTING_DOWN;
    if (key === null) return UNAUTHENTICATED;
    if (!allows(key, "read")) return [StreamClose.unauthenticated, "the API key lacks the scope read"];
    return this.size >= this.#parts.limits.streamClients ? FULL : null;
  }

  #serve(socket: WebSocket, connection: Connection, key: StoredApiKey): void {
    const client = new StreamClient({
      parts: this.#parts,
      connection,
      accountId: key.accountId,
      background: this.#background,
      dropped: this.#dropped,
      conflated: this.#conflated,
    });
    this.#connections.set(connection, key);
    this.#clients.set(this.size);
    socket.on("message", (data, isBinary) => {
      connection.isAlive = true;
      if (connection.isOpen) client.take(data, isBinary);
    });
    socket.on("pong", () => {
      connection.isAlive = true;
    });
    socket.on("close", () => {
      client.stop();
      this.#connections.delete(connection);
      this.#clients.set(this.size);
      if (this.size === 0) this.#emptied();
    });
  }

  /** A key that was revoked, or has expired, ends the streams that it opened. */
  async #checkKeys(): Promise<void> {
    const keys = new Map([...this.#connections.values()].map((key) => [key.id, key]));
    for (const key of keys.values()) {
      if (await this.#parts.keys.holds(key)) continue;
      this.#dropped.add(1, { reason: "key_revoked" });
      for (const [connection, { id }] of this.#connections)
        if (id === key.id) connection.close(StreamClose.unauthenticated, "the API key holds no more");
    }
  }

  #pingAll(): void {
    for (const connection of this.#connections.keys()) {
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
