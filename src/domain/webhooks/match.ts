import type { AlertTerms } from "../../../schemas/alert.ts";
import type { WebhookId } from "../../../schemas/common.ts";
import type { Severity } from "../../../schemas/condition.ts";
import type { EventData } from "../../../schemas/event.ts";
import type { WebhookSettings } from "../../../schemas/webhook.ts";
import type { AddressedEvent } from "../records.ts";

interface Listener {
  readonly id: WebhookId;
  readonly settings: Pick<WebhookSettings, "events" | "filter">;
}

/** What is asked of an event besides its kind and its signal. */
type Terms = Omit<AlertTerms, "severity"> & { readonly severity: Severity | null };

/** Whether anybody may hear of it: what is silenced or held back is kept, and delivered to nobody. */
export const isTold = ({ silencedBy, heldBy }: EventData): boolean =>
  silencedBy === undefined && heldBy === undefined;

const fits = ({ id, settings: { filter } }: Listener, { severity, notify, labels: own }: Terms): boolean => {
  const { labels = {}, severities } = filter;
  if (notify?.webhookIds !== undefined && !notify.webhookIds.includes(id)) return false;
  if (Object.entries(labels).some(([key, value]) => own[key] !== value)) return false;
  // What is no alert has no severity to be filtered by.
  return severities === undefined || severity === null || severities.includes(severity);
};

/** Its own, and those under which others have heard before what goes on here, or ends: they hear of that too. */
export const termsOf = ({ signal, previous, alert }: EventData): Terms[] => {
  const labels = signal?.labels ?? {};
  const own = { severity: alert?.severity ?? null, notify: alert?.notify ?? null, labels };
  const before = previous?.labels === undefined ? [] : [{ ...own, labels: previous.labels }];
  return [own, ...before, ...(alert?.toldAs ?? [])];
};

/**
 * Whether an event of its account is sent to a webhook: by its kind, its rule, and all that the filter names. Who was
 * told that an alert fires is told what becomes of it, and who follows a signal by its labels, that it has them no more.
 */
export const wants = (
  listener: Listener,
  { signalId, event }: Pick<AddressedEvent, "signalId" | "event">,
): boolean => {
  const { events, filter } = listener.settings;
  if (!events.includes(event.event) || !isTold(event.data)) return false;
  const { signalIds } = filter;
  if (signalIds !== undefined && (signalId === null || !signalIds.includes(signalId))) return false;
  return termsOf(event.data).some((terms) => fits(listener, terms));
};
