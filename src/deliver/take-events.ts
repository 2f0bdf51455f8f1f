import type { LogRecord } from "../domain/log-record.ts";
import type { Clock } from "../ports/clock.ts";
import type { ControlStore } from "../ports/control-store.ts";
import type { Logger } from "../ports/telemetry.ts";
import { NEWS_OUTCOMES, noteAlertMails } from "./alert-mails.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { groupedDeliveries, plainDeliveries } from "./grouping.ts";
import type { DeliverMetrics } from "./metrics.ts";
import { placedEvents } from "./new-deliveries.ts";
import { alertRows, stateRows } from "./projection.ts";
import type { Retrying } from "./retrying.ts";
import type { WebhookBook } from "./webhook-book.ts";

export interface TakingParts {
  readonly control: Pick<ControlStore, "transaction">;
  readonly clock: Clock;
  readonly book: WebhookBook;
  readonly dispatcher: Pick<Dispatcher, "changed" | "made" | "late"> | null;
  readonly metrics: DeliverMetrics;
  readonly logger: Logger;
  readonly retrying: Retrying;
}

/**
 * Takes a batch of events: in one transaction states of signals and alerts, deliveries and what groups make of these, and
 * what is to be told by e-mail.
 */
export const takingEvents = (parts: TakingParts) => {
  const { control, clock, book, dispatcher, metrics, logger, retrying } = parts;
  return async (batch: readonly LogRecord[], signal: AbortSignal): Promise<void> => {
    const events = placedEvents(batch, (record, error) => {
      metrics.unreadable.add(1);
      logger.error({ offset: record.offset, error: String(error) }, "deliver_event_unreadable");
    });
    const project = () =>
      control.transaction(async (within) => {
        await book.refresh(within);
        const noted = await noteAlertMails(within, events, clock.now());
        await within.signalStates.project(stateRows(events));
        await within.alerts.project(alertRows(events));
        const { deliveries, save } = book.hasGroups
          ? await groupedDeliveries(within, book, events, clock.now(), metrics)
          : plainDeliveries(book, events);
        const added = await within.deliveries.add(deliveries);
        return { deliveries, added, noted, released: await save() };
      });
    const { deliveries, added, noted, released } = await retrying(project, signal);
    metrics.deliveries.add(added.size);
    for (const outcome of NEWS_OUTCOMES) metrics.alertMailNews.add(noted[outcome], { outcome });
    dispatcher?.changed();
    const toSend = deliveries.filter(({ status }) => status === undefined);
    metrics.grouped.add(deliveries.filter(({ status }) => status === "grouped").length);
    dispatcher?.made(toSend, added);
    for (const [id, position] of released) dispatcher?.late(id, position);
    // Made before by a transaction whose answer was lost, they may have let go of others.
    const isAgain = added.size < deliveries.length && book.hasGroups;
    if (isAgain) for (const { webhookId } of deliveries) dispatcher?.late(webhookId, 0);
  };
};
