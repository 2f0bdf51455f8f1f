import { request } from "node:http";
import { z } from "zod";
import { EventId } from "../../schemas/common.ts";
import { SignalServiceEvent } from "../../schemas/event.ts";

const Block = z.object({ id: EventId, event: z.string(), data: z.string() });

/** A reader of `GET /v1/events/stream` that checks every event against the contract and keeps its id. */
export class EventSourcePeer {
  readonly ids: EventId[] = [];
  readonly kinds: string[] = [];
  readonly comments: string[] = [];
  retryMs: number | null = null;
  isEnded = false;
  status = 0;
  headers: Record<string, unknown> = {};
  /** Of an answer that is no stream. */
  body = "";
  readonly #request: ReturnType<typeof request>;
  #text = "";
  #response: { pause(): unknown; resume(): unknown } | null = null;
  readonly opened: Promise<void>;

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.opened = promise;
    this.#request = request(url, { headers, agent: false });
    this.#request.on("error", () => this.#ended());
    this.#request.on("response", (response) => {
      this.#response = response;
      this.status = response.statusCode ?? 0;
      this.headers = response.headers;
      resolve();
      response.setEncoding("utf8");
      response.on("data", (text: string) => this.#take(text));
      response.on("error", () => undefined);
      response.on("close", () => this.#ended());
    });
    this.#request.end();
  }

  static async open(url: string, key: string, lastEventId?: string): Promise<EventSourcePeer> {
    const peer = new EventSourcePeer(url, {
      authorization: `Bearer ${key}`,
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    });
    await peer.opened;
    return peer;
  }

  pause(): void {
    this.#response?.pause();
  }
  resume(): void {
    this.#response?.resume();
  }
  end(): void {
    this.#request.destroy();
  }

  #ended(): void {
    this.isEnded = true;
  }

  #take(text: string): void {
    if (this.status !== 200) {
      this.body += text;
      return;
    }
    this.#text += text;
    const blocks = this.#text.split("\n\n");
    this.#text = blocks.pop() ?? "";
    for (const block of blocks) this.#block(block);
  }

  #block(block: string): void {
    if (block.startsWith(":")) {
      this.comments.push(block.slice(1).trim());
      return;
    }
    const lines = block.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2));
    const fields: Record<string, string> = Object.fromEntries(lines);
    if (fields.retry !== undefined) {
      this.retryMs = Number(fields.retry);
      return;
    }
    const { id, event, data } = Block.parse(fields);
    const told = SignalServiceEvent.parse(JSON.parse(data));
    if (told.id !== id || told.event !== event) throw new Error(`event ${told.id} came under another name`);
    this.ids.push(id);
    this.kinds.push(event);
  }
}
