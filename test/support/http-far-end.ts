import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { portOf } from "./port.ts";

export interface AskedOf {
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly method: string;
  readonly body: string;
}

/** An HTTP server as the far end of a source; `answer` says what it does with each request, counted from 1. */
export class HttpFarEnd {
  readonly asked: AskedOf[] = [];
  readonly port: number;

  private constructor(port: number) {
    this.port = port;
  }

  static async start(
    answer: (response: ServerResponse, asked: AskedOf, number: number) => void | Promise<void>,
  ): Promise<HttpFarEnd> {
    const server = createServer(async (request, response) => {
      const url = new URL(request.url ?? "/", "http://far");
      const body = (await buffer(request)).toString();
      const asked = { url, headers: request.headers, method: request.method ?? "", body };
      farEnd.asked.push(asked);
      response.on("error", () => undefined);
      await answer(response, asked, farEnd.asked.length);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const farEnd = new HttpFarEnd(portOf(server));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return farEnd;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/feed?token=hidden`;
  }
}
