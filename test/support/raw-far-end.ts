import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { portOf } from "./port.ts";

const bodyBytesOf = (head: string): number => Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);

/** A server that takes HTTP requests and answers with whatever bytes it is told to; `requests` holds each as it came. */
export class RawFarEnd {
  readonly requests: string[] = [];
  readonly sockets: Socket[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `answer` is called with each whole request, counted from 1 over all connections. */
  static async start(
    answer: (socket: Socket, number: number, connection: number) => void = () => undefined,
  ): Promise<RawFarEnd> {
    const server = createServer((socket) => {
      const connection = farEnd.sockets.push(socket);
      let received = "";
      socket.on("error", () => undefined).setEncoding("latin1");
      socket.on("data", (chunk) => {
        received += chunk;
        const headEnd = received.indexOf("\r\n\r\n") + 4;
        const end = headEnd + bodyBytesOf(received.slice(0, headEnd));
        if (headEnd < 4 || received.length < end) return;
        const number = farEnd.requests.push(received.slice(0, end));
        received = received.slice(end);
        answer(socket, number, connection);
      });
    });
    const farEnd = new RawFarEnd(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      for (const socket of farEnd.sockets) socket.destroy();
    });
    return farEnd;
  }

  get port(): number {
    return portOf(this.#server);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }
}

/** Until what has been written on loopback, in this process, has been read there too. */
export const arrived = async (): Promise<void> => {
  for (let turns = 0; turns < 20; turns++) await turn();
};
