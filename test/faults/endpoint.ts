import { createServer, type Server } from "node:http";
import { portOf } from "../support/port.ts";

/** A customer's endpoint: takes whatever comes, and remembers how often each event came. */
export class Endpoint {
  readonly times = new Map<string, number>();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => {
      const id = String(request.headers["webhook-id"]);
      this.times.set(id, (this.times.get(id) ?? 0) + 1);
      request.resume();
      request.on("end", () => response.writeHead(204).end());
      // The sender was killed amid its request.
      request.on("error", () => response.destroy());
    });
  }

  static async start(): Promise<Endpoint> {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    return new Endpoint(server);
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}/hook`;
  }

  get repeats(): number {
    return [...this.times.values()].reduce((sum, times) => sum + times - 1, 0);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
