import type { DeliveryId, WebhookId } from "../../../schemas/common.ts";
import { deliveryIdOf } from "../../domain/webhooks/delivery-id.ts";
import type { Deliveries, DueDelivery, NewDelivery, WebhookEvent } from "../../ports/webhooks.ts";
import { createDeliveryHistory } from "./delivery-history.ts";
import { type ControlContext, slices } from "./engine.ts";
import { inTransaction } from "./transaction.ts";

const eventRow = ({ id, position, kind, signalId, body }: WebhookEvent) => ({
  id,
  position,
  kind,
  signal_id: signalId,
  body,
});

const deliveryRow = ({ webhookId, event, dueAt, status }: NewDelivery) => ({
  id: deliveryIdOf(webhookId, event.id),
  webhook_id: webhookId,
  event_id: event.id,
  position: event.position,
  kind: event.kind,
  signal_id: event.signalId,
  status: status ?? ("pending" as const),
  attempts: 0,
  attempts_before: 0,
  next_attempt_at: dueAt,
  created_at: event.createdAt,
});

/** A webhook that was removed or disabled meanwhile gets none; its row is locked against both. */
export const enabledWebhooks = async ({ db, engine }: ControlContext, ids: ReadonlySet<WebhookId>) => {
  const locked = await db
    .selectFrom("webhook")
    .select("id")
    .where("id", "in", [...ids])
    .orderBy("id")
    .$if(engine.rowLocks, (query) => query.forKeyShare())
    .execute();
  if (locked.length === 0) return new Set<WebhookId>();
  // Asked now that nobody can change it: beside the lock it might be answered as it was before.
  const rows = await db
    .selectFrom("webhook_lane")
    .select("webhook_id")
    .where("enabled", "=", 1)
    .where(
      "webhook_id",
      "in",
      locked.map(({ id }) => id),
    )
    .execute();
  return new Set(rows.map(({ webhook_id }) => webhook_id));
};

const addDeliveries = (
  context: ControlContext,
  deliveries: readonly NewDelivery[],
): Promise<ReadonlySet<DeliveryId>> =>
  inTransaction(context, async (trx) => {
    const enabled = await enabledWebhooks(
      { ...context, db: trx },
      new Set(deliveries.map(({ webhookId }) => webhookId)),
    );
    const wanted = deliveries.filter(({ webhookId }) => enabled.has(webhookId));
    const events = new Map(wanted.map(({ event }) => [event.id, event]));
    for (const slice of slices([...events.values()]))
      await trx
        .insertInto("webhook_event")
        .values(slice.map(eventRow))
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
    const added = new Set<DeliveryId>();
    for (const slice of slices(wanted)) {
      const rows = await trx
        .insertInto("delivery")
        .values(slice.map(deliveryRow))
        .onConflict((conflict) => conflict.column("id").doNothing())
        .returning("id")
        .execute();
      for (const { id } of rows) added.add(id);
    }
    return added;
  });

const dueQuery = ({ db }: ControlContext, webhookId: WebhookId) =>
  db
    .selectFrom("delivery")
    .innerJoin("webhook_event", "webhook_event.id", "delivery.event_id")
    .select([
      "delivery.id",
      "delivery.webhook_id",
      "delivery.event_id",
      "delivery.position",
      "delivery.kind",
      "delivery.signal_id",
      "delivery.attempts",
      "delivery.attempts_before",
      "webhook_event.body",
    ])
    .where("delivery.webhook_id", "=", webhookId)
    .where("delivery.status", "=", "pending");
type DueRow = Awaited<ReturnType<ReturnType<typeof dueQuery>["execute"]>>[number];

const dueOf = (row: DueRow): DueDelivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  eventId: row.event_id,
  position: row.position,
  kind: row.kind,
  signalId: row.signal_id,
  attempts: row.attempts,
  attemptsOfRound: row.attempts - row.attempts_before,
  body: row.body,
});

const first = async (
  context: ControlContext,
  ...[webhookId, above, limit]: Parameters<Deliveries["first"]>
): ReturnType<Deliveries["first"]> => {
  const query = dueQuery(context, webhookId)
    .where("delivery.next_attempt_at", "is", null)
    .orderBy("delivery.position");
  const rows = await query.where("delivery.position", ">", above).limit(limit).execute();
  const last = rows.at(-1);
  if (last === undefined || rows.length < limit) return rows.map(dueOf);
  // A group's notification stands where an event does: who goes on above that would pass it over.
  const alike = await query.where("delivery.position", "=", last.position).execute();
  const known = new Set(rows.map(({ id }) => id));
  return [...rows, ...alike.filter(({ id }) => !known.has(id))].map(dueOf);
};

const retries = async (
  context: ControlContext,
  ...[webhookId, now, limit]: Parameters<Deliveries["retries"]>
): ReturnType<Deliveries["retries"]> => {
  const due = await dueQuery(context, webhookId)
    .where("delivery.next_attempt_at", "<=", now)
    .orderBy("delivery.next_attempt_at")
    .limit(limit)
    .execute();
  const next = await context.db
    .selectFrom("delivery")
    .select("next_attempt_at")
    .where("webhook_id", "=", webhookId)
    .where("status", "=", "pending")
    .where("next_attempt_at", ">", now)
    .orderBy("next_attempt_at")
    .limit(1)
    .executeTakeFirst();
  return { due: due.map(dueOf), nextAt: next?.next_attempt_at ?? null };
};

export const createDeliveries = (context: ControlContext): Deliveries => ({
  add: (deliveries) =>
    deliveries.length === 0 ? Promise.resolve(new Set()) : addDeliveries(context, deliveries),
  first: (webhookId, above, limit) => first(context, webhookId, above, limit),
  waiting: async () => {
    // One look for each endpoint: many may wait, and this is asked several times a second.
    const rows = await context.db
      .selectFrom("webhook_lane")
      .select(({ selectFrom }) => [
        "webhook_id",
        selectFrom("delivery")
          .select(({ fn }) => fn.min("delivery.position").as("position"))
          .whereRef("delivery.webhook_id", "=", "webhook_lane.webhook_id")
          .where("delivery.status", "=", "pending")
          .where("delivery.next_attempt_at", "is", null)
          .as("position"),
      ])
      .where("enabled", "=", 1)
      .execute();
    return new Map(
      rows.flatMap(({ webhook_id, position }) =>
        position === null ? [] : [[webhook_id, position] as const],
      ),
    );
  },
  existing: async (ids) => {
    const found = new Set<DeliveryId>();
    for (const slice of slices(ids)) {
      const rows = await context.db.selectFrom("delivery").select("id").where("id", "in", slice).execute();
      for (const { id } of rows) found.add(id);
    }
    return found;
  },
  retries: (webhookId, now, limit) => retries(context, webhookId, now, limit),
  ...createDeliveryHistory(context),
});
