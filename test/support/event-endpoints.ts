import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { portOf } from "./port.ts";

/** What of an event says which it is. */
const Told = z.object({
  id: z.string(),
  sequence: z.number(),
  data: z.object({ signal: z.object({ id: z.string() }) }),
});

/** What one endpoint got: every event, how often, and whether first arrivals of a signal came in order. */
export class EventEndpoint {
  readonly #server: Server;
  /** By webhook-id: how often it came, and the hash of its body. */
  readonly #seen = new Map<string, { times: number; readonly hash: string }>();
  /** By signal: the sequence of what arrived first last. */
  readonly #sequences = new Map<string, number>();
  #requests = 0;
  /** What is wrong, in words; of each kind once is enough to fail. */
  readonly faults: string[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        this.#take(String(request.headers["webhook-id"]), Buffer.concat(chunks));
        response.writeHead(204).end();
      });
    });
  }

  static async start(): Promise<EventEndpoint> {
    const endpoint = new EventEndpoint();
    endpoint.#server.listen(0, "127.0.0.1");
    await once(endpoint.#server, "listening");
    onTestFinished(() => {
      endpoint.#server.closeAllConnections();
      endpoint.#server.close();
    });
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}/hook`;
  }
  /** Repetitions included. */
  get requests(): number {
    return this.#requests;
  }
  get ids(): ReadonlySet<string> {
    return new Set(this.#seen.keys());
  }
  get distinct(): number {
    return this.#seen.size;
  }

  #take(id: string, body: Buffer): void {
    this.#requests++;
    const hash = createHash("sha256").update(body).digest("base64");
    const seen = this.#seen.get(id);
    if (seen !== undefined) {
      seen.times++;
      if (seen.hash !== hash) this.faults.push(`${id} came with two bodies`);
      return;
    }
    this.#seen.set(id, { times: 1, hash });
    const event = Told.parse(JSON.parse(body.toString()));
    if (event.id !== id) this.faults.push(`${event.id} came as ${id}`);
    this.#takeSequence(event);
  }

  #takeSequence({ data: { signal }, sequence }: z.infer<typeof Told>): void {
    const last = this.#sequences.get(signal.id) ?? 0;
    if (sequence !== last + 1) this.faults.push(`${signal.id}: ${sequence} came after ${last}`);
    this.#sequences.set(signal.id, Math.max(last, sequence));
  }
}
