import { once } from "node:events";
import { type WebSocket, WebSocketServer } from "ws";
import { portOf } from "../support/port.ts";
import { atOf, SIGNALS_PER_SOURCE } from "./trial.ts";

const TICK_MS = 5;
export const READINGS_PER_FRAME = 50;
/** Who leaves so much unread is cut off. */
const BUFFERED_BYTES_MAX = 64 * 1024 ** 2;

/** What was sent to one who was connected: every frame from the first to the last. */
export interface Sent {
  readonly first: number;
  last: number;
  ended: boolean;
}

/** What a feed has sent, and to whom. */
export interface Sender {
  readonly source: number;
  readonly readingsSent: number;
  /** One for each connection there has been. */
  readonly sent: readonly Readonly<Sent>[];
}

export const nameOf = (source: number, signal: number): string => `source-${source}/${signal}`;

/** Readings in turn over a source's signals; now and then one is bad, and the next one of that signal good again. */
const frameOf = (source: number, frame: number): string =>
  JSON.stringify(
    Array.from({ length: READINGS_PER_FRAME }, (_, i) => {
      const reading = frame * READINGS_PER_FRAME + i;
      const rssi = reading % 1_499 === 0 ? -80 - (reading % 7) : -42.5;
      const at = atOf(Math.floor(reading / SIGNALS_PER_SOURCE));
      return { id: nameOf(source, reading % SIGNALS_PER_SOURCE), rssi, at };
    }),
  );

/** One sender of readings, for one source: it sends at a steady rate to all who are connected, as gateways do. */
export class Feed implements Sender {
  readonly url: string;
  readonly source: number;
  readonly sent: Sent[] = [];
  readonly #server: WebSocketServer;
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Map<WebSocket, Sent>();
  #frames = 0;
  #paused = false;

  private constructor(server: WebSocketServer, source: number, readingsPerSecond: number) {
    this.#server = server;
    this.source = source;
    this.url = `ws://127.0.0.1:${portOf(server)}/`;
    server.on("connection", (client) => this.#connected(client));
    let [owed, last] = [0, performance.now()];
    this.#timer = setInterval(() => {
      const now = performance.now();
      owed += ((now - last) / 1_000) * (readingsPerSecond / READINGS_PER_FRAME);
      last = now;
      // What nobody takes is not owed: a sender that was away does not send its past at once.
      if (this.#open.size === 0 || this.#paused) owed = 0;
      for (; owed >= 1; owed--) this.#send();
    }, TICK_MS);
  }

  static async start(source: number, readingsPerSecond: number): Promise<Feed> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
    await once(server, "listening");
    return new Feed(server, source, readingsPerSecond);
  }

  /** Each counts once, to however many it went. */
  get readingsSent(): number {
    return this.#frames * READINGS_PER_FRAME;
  }
  get connections(): number {
    return this.sent.length;
  }
  get isConnected(): boolean {
    return this.#open.size > 0;
  }

  /** What it has sent, as it stays whatever happens next. */
  soFar(): Sender {
    const { source, readingsSent, sent } = this;
    return { source, readingsSent, sent: sent.map((one) => ({ ...one })) };
  }

  /** As if the network had gone: no closing handshake. */
  drop(): void {
    for (const client of this.#open.keys()) client.terminate();
  }

  /** Sends nothing more; who is connected stays so. */
  pause(): void {
    this.#paused = true;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.drop();
    this.#server.close();
  }

  #connected(client: WebSocket): void {
    const sent: Sent = { first: this.#frames, last: this.#frames - 1, ended: false };
    this.sent.push(sent);
    this.#open.set(client, sent);
    client.on("error", () => client.terminate());
    client.on("close", () => {
      sent.ended = true;
      this.#open.delete(client);
    });
  }

  #send(): void {
    const frame = frameOf(this.source, this.#frames);
    for (const [client, sent] of this.#open) {
      if (client.readyState !== client.OPEN) continue;
      if (client.bufferedAmount > BUFFERED_BYTES_MAX) client.terminate();
      else client.send(frame);
      sent.last = this.#frames;
    }
    this.#frames++;
  }
}
