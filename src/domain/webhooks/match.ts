import type { WebhookSettings } from "../../../schemas/webhook.ts";
import type { AddressedEvent } from "../records.ts";

/** Whether an event of its account is sent to a webhook: by its kind, and all that the filter names. */
export const wants = (
  { events, filter }: Pick<WebhookSettings, "events" | "filter">,
  { signalId, event }: Pick<AddressedEvent, "signalId" | "event">,
): boolean => {
  if (!events.includes(event.event)) return false;
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
