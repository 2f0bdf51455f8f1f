import { once } from "node:events";
import { type WebSocket, WebSocketServer } from "ws";
import { portOf } from "../support/port.ts";

const TICK_MS = 5;
const READINGS_PER_FRAME = 50;
const BUFFERED_BYTES_MAX = 4 * 1024 ** 2;
const FRAMES_MADE = 2_000;

/** Readings in turn over a source's signals; now and then one is bad, and the next one of that signal good again. */
const framesOf = (source: number, signals: number): string[] =>
  Array.from({ length: FRAMES_MADE }, (_, frame) =>
    JSON.stringify(
      Array.from({ length: READINGS_PER_FRAME }, (_, i) => {
        const reading = frame * READINGS_PER_FRAME + i;
        const rssi = reading % 1_499 === 0 ? -80 - (reading % 7) : -42.5;
        return { id: `source-${source}/${reading % signals}`, rssi };
      }),
    ),
  );

/** One sender of readings, for one source: it sends at a steady rate to whoever is connected. */
export class Feed {
  readonly url: string;
  readonly #server: WebSocketServer;
  readonly #timer: NodeJS.Timeout;
  #sent = 0;
  #connections = 0;
  #paused = false;

  private constructor(server: WebSocketServer, source: number, signals: number, readingsPerSecond: number) {
    this.#server = server;
    this.url = `ws://127.0.0.1:${portOf(server)}/`;
    server.on("connection", () => this.#connections++);
    const frames = framesOf(source, signals);
    let [owed, last] = [0, performance.now()];
    this.#timer = setInterval(() => {
      const now = performance.now();
      owed += ((now - last) / 1_000) * (readingsPerSecond / READINGS_PER_FRAME);
      last = now;
      const client = this.#client();
      // What nobody takes is not owed: a sender that was away does not send its past at once.
      if (client === undefined || client.bufferedAmount > BUFFERED_BYTES_MAX || this.#paused) owed = 0;
      for (; client !== undefined && owed >= 1; owed--) client.send(frames[this.#sent++ % FRAMES_MADE] ?? "");
    }, TICK_MS);
  }

  static async start(source: number, signals: number, readingsPerSecond: number): Promise<Feed> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
    await once(server, "listening");
    return new Feed(server, source, signals, readingsPerSecond);
  }

  /** The newest connection: one of a frozen worker stays open, and takes nothing. */
  #client(): WebSocket | undefined {
    return [...this.#server.clients].at(-1);
  }

  get readingsSent(): number {
    return this.#sent * READINGS_PER_FRAME;
  }
  get connections(): number {
    return this.#connections;
  }
  get isConnected(): boolean {
    return this.#server.clients.size > 0;
  }

  /** As if the network had gone: no closing handshake. */
  drop(): void {
    for (const client of this.#server.clients) client.terminate();
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
}
