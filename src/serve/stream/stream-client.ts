import type { RawData } from "ws";
import type { AccountId, EventId } from "../../../schemas/common.ts";
import { StreamClose } from "../../../schemas/stream.ts";
import type { Counter } from "../../ports/telemetry.ts";
import type { Background } from "../background.ts";
import { problemOf } from "../problem-of.ts";
import { readMessage } from "./client-message.ts";
import type { Connection } from "./connection.ts";
import { message } from "./frames.ts";
import type { StreamParts } from "./stream-parts.ts";
import { type Subscribe, Subscription } from "./subscription.ts";

const SUBSCRIPTIONS_MAX = 20;

interface ClientOptions {
  readonly parts: StreamParts;
  readonly connection: Connection;
  readonly accountId: AccountId;
  readonly background: Background;
  readonly dropped: Counter;
  readonly conflated: Counter;
}

/** What one peer of `/v1/stream` says, and what it has subscribed to. */
export class StreamClient {
  readonly #options: ClientOptions;
  readonly #subscriptions = new Map<string, Subscription>();

  constructor(options: ClientOptions) {
    this.#options = options;
    options.connection.drained = () => {
      for (const subscription of this.#subscriptions.values()) subscription.pump();
    };
  }

  take(data: RawData, isBinary: boolean): void {
    const { connection } = this.#options;
    const read = readMessage(data, isBinary);
    if (!read.ok) {
      this.#sendError("validation_failed", read.detail);
      connection.close(StreamClose.badMessage, "bad message");
    } else if (read.message.type === "ping") connection.send(message({ type: "pong" }));
    else if (read.message.type === "unsubscribe") this.#unsubscribe(read.message.id);
    else this.#subscribe(read.message);
  }

  stop(): void {
    for (const subscription of this.#subscriptions.values()) subscription.stop();
    this.#subscriptions.clear();
  }

  #subscribe(request: Subscribe): void {
    const { id } = request;
    const refusal = this.#refusal(id);
    if (refusal !== null) {
      this.#sendError("conflict", refusal);
      return;
    }
    const { parts, connection, accountId, conflated } = this.#options;
    const background = (task: () => Promise<void>) => this.#inBackground(id, subscription, task);
    const tooSlow = (lastId: EventId | null) => this.#tooSlow(lastId);
    const subscription = new Subscription({ parts, connection, accountId, conflated, tooSlow, background });
    this.#subscriptions.set(id, subscription);
    background(() => subscription.begin(request));
  }

  #refusal(id: string): string | null {
    if (this.#subscriptions.has(id)) return `subscription ${id} exists: unsubscribe first`;
    if (this.#subscriptions.size < SUBSCRIPTIONS_MAX) return null;
    return `a stream has at most ${SUBSCRIPTIONS_MAX} subscriptions`;
  }

  #unsubscribe(id: string): void {
    const subscription = this.#subscriptions.get(id);
    if (subscription === undefined) {
      this.#sendError("not_found", `there is no subscription ${id}`);
      return;
    }
    subscription.stop();
    this.#subscriptions.delete(id);
    this.#options.connection.send(message({ type: "unsubscribed", id }));
  }

  #tooSlow(lastId: EventId | null): void {
    this.#options.dropped.add(1, { reason: "too_slow" });
    const from = lastId === null ? "after the last event that you have" : `after=${lastId}`;
    this.stop();
    this.#options.connection.close(StreamClose.tooSlow, `too slow: resume with ${from}`);
  }

  /** A failure ends the subscription, not the stream. */
  #inBackground(id: string, subscription: Subscription, task: () => Promise<void>): void {
    this.#options.background.run(task, (error) => {
      const { code, detail } = problemOf(error);
      subscription.stop();
      if (this.#subscriptions.get(id) === subscription) this.#subscriptions.delete(id);
      this.#sendError(code, `subscription ${id} ended: ${detail}`);
    });
  }

  #sendError(code: string, detail: string): void {
    this.#options.connection.send(message({ type: "error", code, detail }));
  }
}
