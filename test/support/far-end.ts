import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";
import { portOf } from "./port.ts";

/** A WebSocket server as the far end of a source; `connected` says what it does with each client. */
export class FarEnd {
  readonly server: WebSocketServer;
  readonly requests: IncomingMessage[] = [];

  private constructor(server: WebSocketServer) {
    this.server = server;
  }

  static async start(
    connected: (client: WebSocket, number: number) => void = () => undefined,
    options: ServerOptions = {},
  ): Promise<FarEnd> {
    const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false, ...options });
    await once(server, "listening");
    const farEnd = new FarEnd(server);
    server.on("connection", (client, request) => {
      client.on("error", () => client.terminate());
      farEnd.requests.push(request);
      connected(client, farEnd.requests.length);
    });
    onTestFinished(() => {
      for (const client of server.clients) client.terminate();
      server.close();
    });
    return farEnd;
  }

  get url(): string {
    return `ws://127.0.0.1:${portOf(this.server)}/feed?token=hidden`;
  }

  send(message: unknown): void {
    for (const client of this.server.clients) {
      client.send(
        typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message),
      );
    }
  }
}
