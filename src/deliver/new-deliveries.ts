import type { LogRecord } from "../domain/log-record.ts";
import { type AddressedEvent, readEvent } from "../domain/records.ts";
import { deliveryIdOf } from "../domain/webhooks/delivery-id.ts";
import { eventBody } from "../domain/webhooks/event-body.ts";
import type { DueDelivery, NewDelivery, StoredWebhook } from "../ports/webhooks.ts";

/** An event where it stands in the topic, with the body of its webhooks. */
export interface PlacedEvent extends AddressedEvent {
  readonly position: number;
  readonly body: string;
}

const decoder = new TextDecoder();

/** What of a batch is an event; what is none is told and left out. */
export const placedEvents = (
  batch: readonly LogRecord[],
  unreadable: (record: LogRecord, error: unknown) => void,
): PlacedEvent[] =>
  batch.flatMap((record) => {
    try {
      const addressed = readEvent(record);
      const body = eventBody(addressed.event, decoder.decode(record.value));
      return [{ ...addressed, position: record.offset, body }];
    } catch (error) {
      unreadable(record, error);
      return [];
    }
  });

export const newDelivery = ({ id }: Pick<StoredWebhook, "id">, placed: PlacedEvent): NewDelivery => ({
  webhookId: id,
  dueAt: null,
  event: {
    id: placed.event.id,
    position: placed.position,
    kind: placed.event.event,
    signalId: placed.signalId,
    createdAt: Date.parse(placed.event.createdAt),
    body: placed.body,
  },
});

/** As control data would give it back. */
export const dueOf = ({ webhookId, event }: NewDelivery): DueDelivery => ({
  id: deliveryIdOf(webhookId, event.id),
  webhookId,
  eventId: event.id,
  position: event.position,
  kind: event.kind,
  signalId: event.signalId,
  attempts: 0,
  attemptsOfRound: 0,
  body: event.body,
});
