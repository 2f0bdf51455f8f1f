import { once } from "node:events";
import { onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { portOf } from "./port.ts";

/** A WebSocket server that sends the lines of a capture, each once, to whoever is connected; it stops where it is told. */
export class LineServer {
  readonly #server: WebSocketServer;
  readonly #lines: readonly string[];
  #next = 0;
  #until = 0;
  #client: WebSocket | null = null;

  private constructor(server: WebSocketServer, lines: readonly string[]) {
    this.#server = server;
    this.#lines = lines;
    server.on("connection", (client) => {
      this.#client = client;
      client.on("close", () => {
        if (this.#client === client) this.#client = null;
      });
      this.#send();
    });
  }

  static async start(lines: readonly string[]): Promise<LineServer> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
    await once(server, "listening");
    onTestFinished(() => {
      for (const client of server.clients) client.terminate();
      server.close();
    });
    return new LineServer(server, lines);
  }

  get url(): string {
    return `ws://127.0.0.1:${portOf(this.#server)}/`;
  }

  /** Sends on up to line `count`, now or once a client is connected. */
  sendUpTo(count: number): void {
    this.#until = Math.min(count, this.#lines.length);
    this.#send();
  }

  #send(): void {
    while (this.#client !== null && this.#next < this.#until)
      this.#client.send(this.#lines[this.#next++] ?? "");
  }
}
