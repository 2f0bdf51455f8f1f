import type { RawData } from "ws";
import type { AccountId, EventId } from "../../../schemas/common.ts";
import { type ClientMessage, type EventsSelection, StreamClose } from "../../../schemas/stream.ts";
import type { Counter } from "../../ports/telemetry.ts";
import type { Background } from "../background.ts";
import type { Parts } from "../parts.ts";
import { ProblemError } from "../problem.ts";
import { problemOf } from "../problem-of.ts";
import { readMessage } from "./client-message.ts";
import type { Connection } from "./connection.ts";
import { EventsSubscription } from "./events-subscription.ts";
import { compactFrames, jsonFrames, message } from "./frames.ts";
import { ReadingsSubscription } from "./readings-subscription.ts";

const SUBSCRIPTIONS_MAX = 20;

export type ClientParts = Pick<Parts, "control" | "feed" | "live" | "scales" | "clock" | "limits">;
type Subscribe = Extract<ClientMessage, { type: "subscribe" }>;

interface ClientOptions {
  readonly parts: ClientParts;
  readonly connection: Connection;
  readonly accountId: AccountId;
  readonly background: Background;
  readonly dropped: Counter;
  readonly conflated: Counter;
}

/** One subscription: its readings, its events, or both. */
interface Subscription {
  isStopped: boolean;
  readings: ReadingsSubscription | null;
  events: EventsSubscription | null;
}

/** What one peer of `/v1/stream` has subscribed to. */
export class StreamClient {
  readonly #options: ClientOptions;
  readonly #subscriptions = new Map<string, Subscription>();

  constructor(options: ClientOptions) {
    this.#options = options;
    options.connection.drained = () => this.#pump();
  }

  take(data: RawData, isBinary: boolean): void {
    const read = readMessage(data, isBinary);
    if (!read.ok) {
      this.#sendError("validation_failed", read.detail);
      this.#options.connection.close(StreamClose.badMessage, "bad message");
    } else if (read.message.type === "ping") this.#options.connection.send(message({ type: "pong" }));
    else if (read.message.type === "unsubscribe") this.#unsubscribe(read.message.id);
    else this.#subscribe(read.message);
  }

  stop(): void {
    for (const subscription of this.#subscriptions.values()) this.#stop(subscription);
    this.#subscriptions.clear();
  }

  #subscribe(request: Subscribe): void {
    const { id } = request;
    const refusal = this.#refusal(id);
    if (refusal !== null) {
      this.#sendError("conflict", refusal);
      return;
    }
    const subscription: Subscription = { isStopped: false, readings: null, events: null };
    this.#subscriptions.set(id, subscription);
    this.#inBackground(id, subscription, () => this.#begin(request, subscription));
  }

  #refusal(id: string): string | null {
    if (this.#subscriptions.has(id)) return `subscription ${id} exists: unsubscribe first`;
    if (this.#subscriptions.size < SUBSCRIPTIONS_MAX) return null;
    return `a stream has at most ${SUBSCRIPTIONS_MAX} subscriptions`;
  }

  async #begin({ id, readings, events, format }: Subscribe, subscription: Subscription): Promise<void> {
    const { parts, connection, accountId, conflated } = this.#options;
    if (events !== undefined) subscription.events = await this.#events(id, subscription, events);
    if (readings !== undefined) {
      const frames = format === "compact" ? compactFrames(id) : jsonFrames(id);
      const options = { parts, connection, accountId, selection: readings, frames, conflated };
      subscription.readings = new ReadingsSubscription(options);
      await subscription.readings.prepare();
    }
    if (subscription.isStopped) return this.#stop(subscription);
    connection.send(message({ type: "subscribed", id }));
    subscription.readings?.begin();
    subscription.events?.begin();
  }

  async #events(
    id: string,
    subscription: Subscription,
    { types, signalIds, after }: EventsSelection,
  ): Promise<EventsSubscription> {
    const { parts, connection, accountId } = this.#options;
    const end = parts.feed.end - 1;
    const position = after === undefined ? end : await parts.feed.positionOf(accountId, after);
    if (position === null)
      throw new ProblemError("validation_failed", "events.after is no event that this service knows");
    return new EventsSubscription({
      id,
      feed: parts.feed,
      connection,
      filter: { accountId, signalIds, kinds: types },
      after: position,
      lastId: after ?? null,
      behindMax: parts.limits.streamBehindEvents,
      tooSlow: (lastId) => this.#tooSlow(lastId),
      background: (task) => this.#inBackground(id, subscription, task),
    });
  }

  #unsubscribe(id: string): void {
    const subscription = this.#subscriptions.get(id);
    if (subscription === undefined) {
      this.#sendError("not_found", `there is no subscription ${id}`);
      return;
    }
    this.#stop(subscription);
    this.#subscriptions.delete(id);
    this.#options.connection.send(message({ type: "unsubscribed", id }));
  }

  #stop(subscription: Subscription): void {
    subscription.isStopped = true;
    subscription.readings?.stop();
    subscription.events?.stop();
  }

  #tooSlow(lastId: EventId | null): void {
    this.#options.dropped.add(1, { reason: "too_slow" });
    const from = lastId === null ? "after the last event that you have" : `after=${lastId}`;
    this.stop();
    this.#options.connection.close(StreamClose.tooSlow, `too slow: resume with ${from}`);
  }

  #pump(): void {
    for (const { readings, events } of this.#subscriptions.values()) {
      events?.pump();
      readings?.pump();
    }
  }

  /** A failure ends the subscription, not the stream. */
  #inBackground(id: string, subscription: Subscription, task: () => Promise<void>): void {
    this.#options.background.run(task, (error) => {
      const { code, detail } = problemOf(error);
      this.#stop(subscription);
      if (this.#subscriptions.get(id) === subscription) this.#subscriptions.delete(id);
      this.#sendError(code, `subscription ${id} ended: ${detail}`);
    });
  }

  #sendError(code: string, detail: string): void {
    this.#options.connection.send(message({ type: "error", code, detail }));
  }
}
