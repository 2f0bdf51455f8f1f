import { hash } from "node:crypto";
import { DeliveryId, type EventId, type WebhookId } from "../../../schemas/common.ts";
import { ulid } from "../ids.ts";

const PREFIX = "evt_".length;
const TIME = 10;

/**
 * Of one event to one webhook there is one delivery, and this is its id, whoever makes it and how often: the time of the
 * event's ULID, and a hash of both ids.
 */
export const deliveryIdOf = (webhookId: WebhookId, eventId: EventId): DeliveryId => {
  const time = eventId.slice(PREFIX, PREFIX + TIME);
  const rest = ulid(0, hash("sha256", `${webhookId}\n${eventId}`, "buffer")).slice(TIME);
  return DeliveryId.parse(`dlv_${time}${rest}`);
};
