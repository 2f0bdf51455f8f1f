import type { SignalId, SourceId, WebhookId } from "../../schemas/common.ts";
import { deliveryIdOf } from "../domain/webhooks/delivery-id.ts";
import { effectOf } from "../domain/webhooks/group-effect.ts";
import type { GroupStep } from "../domain/webhooks/group-step.ts";
import { wants } from "../domain/webhooks/match.ts";
import type { Repositories } from "../ports/control-store.ts";
import type { NewDelivery } from "../ports/webhooks.ts";
import { GroupBatch } from "./group-batch.ts";
import type { DeliverMetrics } from "./metrics.ts";
import { newDelivery, type PlacedEvent } from "./new-deliveries.ts";
import type { GroupingWebhook, WebhookBook } from "./webhook-book.ts";

/** An event of a source's signal that a webhook's groups have to do with, or may have. */
interface Candidate {
  readonly webhook: GroupingWebhook;
  readonly placed: PlacedEvent;
  readonly signalId: SignalId;
  readonly sourceId: SourceId;
  readonly isWanted: boolean;
}

const candidatesOf = (book: WebhookBook, placed: PlacedEvent): Candidate[] => {
  const { signalId, event } = placed;
  const sourceId = event.data.signal?.sourceId ?? null;
  if (signalId === null || sourceId === null) return [];
  return book
    .grouping(placed.accountId)
    .map((webhook) => ({ webhook, placed, signalId, sourceId, isWanted: wants(webhook, placed) }))
    .filter(({ isWanted }) => isWanted || effectOf(event).kind === "recovers");
};

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** Groups that these events may concern, as nobody else changes them until the transaction ends. */
const loadBatch = async (
  { webhookGroups }: Pick<Repositories, "webhookGroups">,
  candidates: readonly Candidate[],
  metrics: DeliverMetrics,
): Promise<GroupBatch> => {
  await webhookGroups.lock();
  const webhookIds = distinct(candidates.map(({ webhook }) => webhook.id));
  const loaded = await webhookGroups.load(
    webhookIds,
    distinct(candidates.map(({ sourceId }) => sourceId)),
    distinct(candidates.map(({ signalId }) => signalId)),
  );
  const counts = await webhookGroups.counts(webhookIds);
  return new GroupBatch(loaded, counts, (limit) => metrics.groupLimits.add(1, { limit }));
};

/** Deliveries of a batch of events, in their order; `save` writes the groups behind them, once they are there. */
export interface MadeDeliveries {
  readonly deliveries: readonly NewDelivery[];
  /** Gives the webhooks of which older deliveries may wait now, and from which position on. */
  readonly save: () => Promise<ReadonlyMap<WebhookId, number>>;
}

const NONE: ReadonlyMap<WebhookId, number> = new Map();

/** One for each event and webhook that wants it. */
export const plainDeliveries = (book: WebhookBook, events: readonly PlacedEvent[]): MadeDeliveries => ({
  deliveries: events.flatMap((placed) =>
    book.matching(placed).map((webhook) => newDelivery(webhook, placed)),
  ),
  save: async () => NONE,
});

/** As above, but that those which groups hold, or tell, are marked so. To be called in a transaction. */
export const groupedDeliveries = async (
  within: Pick<Repositories, "webhookGroups" | "deliveries">,
  book: WebhookBook,
  events: readonly PlacedEvent[],
  nowMs: number,
  metrics: DeliverMetrics,
): Promise<MadeDeliveries> => {
  const candidates = events.flatMap((placed) => candidatesOf(book, placed));
  const plain = plainDeliveries(book, events);
  if (candidates.length === 0) return plain;
  const batch = await loadBatch(within, candidates, metrics);
  const wanted = candidates.filter(({ isWanted }) => isWanted);
  const idOf = ({ webhook, placed }: Candidate) => deliveryIdOf(webhook.id, placed.event.id);
  // What comes again after a kill has been grouped before.
  const existing = await within.deliveries.existing(wanted.map(idOf));
  const settle = candidates
    .filter((candidate) => !candidate.isWanted || !existing.has(idOf(candidate)))
    .flatMap((candidate) => {
      const { webhook, sourceId, isWanted, signalId, placed } = candidate;
      const input = { signalId, event: placed.event, position: placed.position, nowMs };
      const step = batch.step(webhook, sourceId, input, isWanted);
      return step === null || !isWanted ? [] : [{ candidate, step }];
    });
  const statuses = new Map(
    settle.map(({ candidate, step }): [string, GroupStep["becomes"]] => {
      const id = idOf(candidate);
      return [id, batch.settle(candidate.webhook.id, candidate.sourceId, step, id)];
    }),
  );
  return {
    deliveries: plain.deliveries.map((delivery) => {
      const status = statuses.get(deliveryIdOf(delivery.webhookId, delivery.event.id)) ?? "pending";
      return status === "pending" ? delivery : { ...delivery, status };
    }),
    save: () => saveBatch(within, batch),
  };
};

const saveBatch = async (
  { webhookGroups }: Pick<Repositories, "webhookGroups">,
  batch: GroupBatch,
): Promise<ReadonlyMap<WebhookId, number>> => {
  await webhookGroups.save(batch.changes);
  const released = new Map<WebhookId, number>();
  for (const { id, webhookId } of batch.formed) {
    const position = await webhookGroups.settle(id, "by the group");
    if (position !== null) released.set(webhookId, Math.min(position, released.get(webhookId) ?? position));
  }
  return released;
};
