import type { AccountId, EventId } from "../../../schemas/common.ts";
import type { ClientMessage, EventsSelection } from "../../../schemas/stream.ts";
import type { Counter } from "../../ports/telemetry.ts";
import { ProblemError } from "../problem.ts";
import type { Connection } from "./connection.ts";
import { EventsSubscription } from "./events-subscription.ts";
import { compactFrames, eventFrames, jsonFrames, message } from "./frames.ts";
import { ReadingsSubscription } from "./readings-subscription.ts";
import type { StreamParts } from "./stream-parts.ts";

export type Subscribe = Extract<ClientMessage, { type: "subscribe" }>;

export interface SubscriptionOptions {
  readonly parts: StreamParts;
  readonly connection: Connection;
  readonly accountId: AccountId;
  readonly conflated: Counter;
  /** How many signals the request names. */
  readonly signals: number;
  readonly tooSlow: (lastId: EventId | null) => void;
  /** Runs what takes longer; a failure ends the subscription. */
  readonly background: (task: () => Promise<void>) => void;
}

/** What a peer asked for under one name: readings, events, or both. */
export class Subscription {
  readonly #options: SubscriptionOptions;
  #readings: ReadingsSubscription | null = null;
  #events: EventsSubscription | null = null;
  #isStopped = false;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
  }

  get signals(): number {
    return this.#options.signals;
  }

  /** Finds where to begin, says `subscribed`, and begins; a ProblemError when that cannot be. */
  async begin({ id, readings, events, format }: Subscribe): Promise<void> {
    const { parts, connection, accountId, conflated } = this.#options;
    if (events !== undefined) this.#events = await this.#eventsOf(id, events);
    if (readings !== undefined) {
      const frames = format === "compact" ? compactFrames(id) : jsonFrames(id);
      const options = { parts, connection, accountId, selection: readings, frames, conflated };
      this.#readings = new ReadingsSubscription(options);
      await this.#readings.prepare();
    }
    if (this.#isStopped) {
      this.stop();
      return;
    }
    const after = this.#events === null ? {} : { after: this.#events.lastId };
    connection.send(message({ type: "subscribed", id, ...after }));
    this.#readings?.begin();
    this.#events?.begin();
  }

  /** Sends what waits, events first. */
  pump(): void {
    this.#events?.pump();
    this.#readings?.pump();
  }

  stop(): void {
    this.#isStopped = true;
    this.#readings?.stop();
    this.#events?.stop();
  }

  async #startOf(after: EventId | null | undefined) {
    const { parts, accountId } = this.#options;
    if (after === undefined) return parts.feed.now(accountId);
    if (after === null) return { after: -1, lastId: null };
    const position = await parts.feed.positionOf(accountId, after);
    if (position === null)
      throw new ProblemError("validation_failed", "events.after is no event that this service knows");
    return { after: position, lastId: after };
  }

  async #eventsOf(id: string, { types, signalIds, after }: EventsSelection): Promise<EventsSubscription> {
    const { parts, connection, accountId, tooSlow, background } = this.#options;
    const start = await this.#startOf(after);
    return new EventsSubscription({
      feed: parts.feed,
      peer: connection,
      frame: eventFrames(id),
      filter: { accountId, signalIds, kinds: types },
      ...start,
      behindMax: parts.limits.streamBehindEvents,
      tooSlow,
      background,
    });
  }
}
