import type { WebhookId } from "../../../schemas/common.ts";
import type { EventData } from "../../../schemas/event.ts";
import type { WebhookSettings } from "../../../schemas/webhook.ts";
import type { AddressedEvent } from "../records.ts";

interface Listener {
  readonly id: WebhookId;
  readonly settings: Pick<WebhookSettings, "events" | "filter">;
}

/** Whether anybody may hear of it: what is silenced or held back is kept, and delivered to nobody. */
const isTold = ({ silencedBy, heldBy }: EventData): boolean =>
  silencedBy === undefined && heldBy === undefined;

/** Whether an event of its account is sent to a webhook: by its kind, its rule, and all that the filter names. */
export const wants = (
  { id, settings: { events, filter } }: Listener,
  { signalId, event }: Pick<AddressedEvent, "signalId" | "event">,
): boolean => {
  if (!events.includes(event.event) || !isTold(event.data)) return false;
  const { notify } = event.data.alert ?? {};
  if (notify !== undefined && !notify.webhookIds.includes(id)) return false;
  const { signalIds, labels, severities } = filter;
  if (signalIds !== undefined && (signalId === null || !signalIds.includes(signalId))) return false;
  const own = event.data.signal?.labels ?? {};
  if (labels !== undefined && !Object.entries(labels).every(([key, value]) => own[key] === value))
    return false;
  // What is no alert has no severity to be filtered by.
  return (
    severities === undefined ||
    event.data.alert === undefined ||
    severities.includes(event.data.alert.severity)
  );
};
