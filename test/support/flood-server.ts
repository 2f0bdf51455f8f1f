import { once } from "node:events";
import { onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { portOf } from "./port.ts";

const TICK_MS = 5;
const BUFFERED_BYTES_MAX = 4 * 1024 ** 2;

export interface Flood {
  readonly readingsPerSecond: number;
  readonly readingsPerFrame: number;
  /** A frame to send, by its number; cheap, as it is called hundreds of times a second. */
  frame(number: number): string;
}

/** A WebSocket server that sends frames at a steady rate to whoever is connected, until it is stopped. */
export class FloodServer {
  readonly url: string;
  readonly #server: WebSocketServer;
  readonly #timer: NodeJS.Timeout;
  #frames = 0;
  #connections = 0;
  #connectedMs = 0;

  private constructor(server: WebSocketServer, flood: Flood) {
    this.#server = server;
    this.url = `ws://127.0.0.1:${portOf(server)}/`;
    server.on("connection", () => this.#connections++);
    let owed = 0;
    let last = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      const [client] = server.clients;
      if (client !== undefined) this.#connectedMs += now - last;
      owed += ((now - last) / 1000) * (flood.readingsPerSecond / flood.readingsPerFrame);
      last = now;
      // What nobody takes is not owed: a source that was away does not send its past at once.
      if (client === undefined || client.bufferedAmount > BUFFERED_BYTES_MAX) owed = 0;
      for (; client !== undefined && owed >= 1; owed--) client.send(flood.frame(this.#frames++));
    }, TICK_MS);
  }

  static async start(flood: Flood): Promise<FloodServer> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
    await once(server, "listening");
    const started = new FloodServer(server, flood);
    onTestFinished(() => started.stop());
    return started;
  }

  /** Frames sent so far. */
  get frames(): number {
    return this.#frames;
  }

  get connections(): number {
    return this.#connections;
  }

  /** For how long somebody was connected. */
  get connectedMs(): number {
    return this.#connectedMs;
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const client of this.#server.clients) client.terminate();
    this.#server.close();
  }
}
