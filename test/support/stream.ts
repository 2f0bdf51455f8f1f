import { once } from "node:events";
import { WebSocket } from "ws";
import type { SignalServiceEvent } from "../../schemas/event.ts";
import { type ServerMessage, ServerMessage as ServerMessageSchema } from "../../schemas/stream.ts";
import type { Api } from "./api.ts";

/** A subscriber of `/v1/stream` that keeps every event it gets. */
export class StreamClient {
  readonly events: SignalServiceEvent[] = [];
  readonly messages: ServerMessage[] = [];
  readonly #socket: WebSocket;
  readonly closed: Promise<number>;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => undefined);
    socket.on("message", (data) => this.#take(ServerMessageSchema.parse(JSON.parse(data.toString()))));
  }

  static async open(api: Api): Promise<StreamClient> {
    const socket = new WebSocket(api.streamUrl, { headers: api.authorization });
    const client = new StreamClient(socket);
    await once(socket, "open");
    return client;
  }

  /** Subscribes to events, from now on or after an event's id, and waits for the answer. */
  async subscribeEvents(after?: string): Promise<void> {
    const subscribed = new Promise<void>((resolve) => {
      const listener = (data: Buffer) => {
        if (!data.toString().includes('"subscribed"')) return;
        this.#socket.off("message", listener);
        resolve();
      };
      this.#socket.on("message", listener);
    });
    this.send({ type: "subscribe", id: "events", events: after === undefined ? {} : { after } });
    await subscribed;
  }

  send(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  close(): void {
    this.#socket.terminate();
  }

  #take(message: ServerMessage): void {
    this.messages.push(message);
    if (message.type === "event") this.events.push(message.event);
  }
}
