import { once } from "node:events";
import { WebSocket } from "ws";
import { type EventId, SignalId } from "../../schemas/common.ts";
import { CompactReadings, CompactServerMessage, ServerMessage } from "../../schemas/stream.ts";
import { until } from "./until.ts";

type Message = ReturnType<typeof ServerMessage.parse> | ReturnType<typeof CompactServerMessage.parse>;

/** A peer of `/v1/stream` that checks every message against the contract and keeps it. */
export class StreamPeer {
  readonly messages: Message[] = [];
  /** The code and reason with which the service closed. */
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;
  /** How often the service asked, by the protocol, whether somebody is there. */
  pings = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) =>
      socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() })),
    );
    socket.on("error", () => undefined);
    socket.on("ping", () => {
      this.pings++;
    });
    socket.on("message", (data) => {
      const content: unknown = JSON.parse(data.toString());
      const message = ServerMessage.safeParse(content);
      this.messages.push(message.success ? message.data : CompactServerMessage.parse(content));
    });
  }

  static async open(
    url: string,
    key: string | null,
    others: Record<string, string> = {},
  ): Promise<StreamPeer> {
    const headers = { ...others, ...(key === null ? {} : { authorization: `Bearer ${key}` }) };
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}`, { headers });
    const peer = new StreamPeer(socket);
    await once(socket, "open");
    return peer;
  }

  send(message: object | string | Buffer): void {
    const isRaw = typeof message === "string" || Buffer.isBuffer(message);
    this.#socket.send(isRaw ? message : JSON.stringify(message));
  }

  /** Sends bytes as text, whether they are any or not. */
  sendText(bytes: Buffer): void {
    this.#socket.send(bytes, { binary: false });
  }

  /** Stops or starts taking what the service sends. */
  pause(): void {
    this.#socket.pause();
  }
  resume(): void {
    this.#socket.resume();
  }

  end(): void {
    this.#socket.terminate();
  }

  /** Sends a subscription and waits until it stands. */
  async subscribe(id: string, what: object): Promise<void> {
    this.send({ type: "subscribe", id, ...what });
    await until(`subscription ${id}`, () =>
      this.messages.some((message) => message.type === "subscribed" && message.id === id),
    );
  }

  errors(): string[] {
    return this.messages.flatMap((message) => (message.type === "error" ? [message.detail] : []));
  }

  events(id: string): EventId[] {
    return this.messages.flatMap((message) =>
      message.type === "event" && message.id === id ? [message.event.id] : [],
    );
  }

  /** Every strength that came for a signal, oldest first, in either format. */
  strengths(id: string, signal: string): number[] {
    const handles = new Map<number, string>();
    return this.messages.flatMap((message) => {
      if (message.type === "signals" && message.id === id)
        for (const [n, signalId] of Object.entries(message.handles))
          handles.set(Number(n), SignalId.parse(signalId));
      if (message.type !== "readings" || message.id !== id) return [];
      if ("base" in message) {
        const { readings } = CompactReadings.parse(message);
        return readings.flatMap(([n, , strength]) =>
          strength !== null && handles.get(n) === signal ? [strength] : [],
        );
      }
      return message.readings.filter(({ signalId }) => signalId === signal).map(({ strength }) => strength);
    });
  }
}
