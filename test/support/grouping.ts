import type { SourceId, WebhookId } from "../../schemas/common.ts";
import { SignalServiceEvent } from "../../schemas/event.ts";
import { SourceCreate } from "../../schemas/source.ts";
import { type AddressedEvent, eventRecord } from "../../src/domain/records.ts";
import type { Delivering } from "./deliver.ts";
import { SourceEvents } from "./group-events.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

export const WAIT_MS = 10_000;
export const INTERVAL_MS = 300_000;
export const GROUPED_EVENTS = ["signal.failed", "signal.updated", "signal.deleted"];

export const bodies = ({ received }: Receiver): SignalServiceEvent[] =>
  received.map(({ body }) => SignalServiceEvent.parse(JSON.parse(body)));
export const kinds = (receiver: Receiver) => bodies(receiver).map(({ event }) => event);

/** A source, and a webhook that asks for groups with what is not given as by default; no worker yet. */
export class Grouping {
  readonly own: Delivering;
  readonly receiver: Receiver;
  readonly id: WebhookId;
  readonly sourceId: SourceId;
  readonly events: SourceEvents;
  #count = 0;

  private constructor(own: Delivering, receiver: Receiver, id: WebhookId, sourceId: SourceId) {
    this.own = own;
    this.receiver = receiver;
    this.id = id;
    this.sourceId = sourceId;
    this.events = new SourceEvents(own.account, sourceId);
  }

  static async open(own: Delivering, fields: object = {}): Promise<Grouping> {
    const receiver = await startReceiver();
    const { id } = await own.subscribe(receiver.url, { events: GROUPED_EVENTS, groups: {}, ...fields });
    const input = SourceCreate.parse({ type: "push", name: "gateway north" });
    const source = await own.control.sources.create(own.account, input);
    if (!source.ok) throw new Error(source.reason);
    return new Grouping(own, receiver, id, source.value.id);
  }

  get now(): number {
    return this.own.clock.now();
  }

  failed(...signals: readonly number[]): Promise<void> {
    return this.happen(...signals.map((n) => this.events.failed(n, this.now)));
  }
  recovered(...signals: readonly number[]): Promise<void> {
    return this.happen(...signals.map((n) => this.events.recovered(n, this.now)));
  }

  async append(...events: AddressedEvent[]): Promise<void> {
    await this.own.log.append("events", events.map(eventRecord));
    this.#count += events.length;
  }
  /** Appends events, and waits until they have been taken. */
  async happen(...events: AddressedEvent[]): Promise<void> {
    await this.append(...events);
    const { own } = this;
    await own.passing(
      "the events to be taken",
      async () => (await own.log.committed("deliver", "events")).get(0) === this.#count,
    );
  }

  arrived(count: number): Promise<unknown> {
    return this.own.passing("what is to arrive", () => this.receiver.received.length >= count);
  }

  async statuses(): Promise<string[]> {
    return (await this.own.deliveries(this.id)).map(({ event, status }) => `${event} ${status}`);
  }
}
