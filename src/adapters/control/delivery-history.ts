import { type Kysely, sql } from "kysely";
import { type AccountId, DeliveryId, type WebhookId } from "../../../schemas/common.ts";
import type { Attempt } from "../../../schemas/webhook.ts";
import { decodeCursor } from "../../domain/cursor.ts";
import { ulid } from "../../domain/ids.ts";
import { deliveryIdOf } from "../../domain/webhooks/delivery-id.ts";
import type { Deliveries, StoredDelivery } from "../../ports/webhooks.ts";
import { afterId, pageOf } from "./cursor.ts";
import { type ControlContext, slices } from "./engine.ts";
import type { ControlTables, DeliveryRow } from "./tables.ts";
import { inTransaction } from "./transaction.ts";
import { countChange } from "./webhook-state.ts";

type Db = Kysely<ControlTables>;

const iso = (ms: number): string => new Date(ms).toISOString();

const attemptsOf = async (db: Db, ids: readonly DeliveryId[]): Promise<Map<DeliveryId, Attempt[]>> => {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("delivery_attempt")
    .selectAll()
    .where("delivery_id", "in", ids)
    .orderBy("delivery_id")
    .orderBy("number")
    .execute();
  const attempts = new Map<DeliveryId, Attempt[]>();
  for (const row of rows) {
    const { number, at, duration_ms: durationMs, detail, response_body: responseBody } = row;
    const answer = { responseStatus: row.status, code: row.failure, detail, responseBody };
    const list = attempts.get(row.delivery_id) ?? [];
    list.push({ number, at: iso(at), durationMs, ...answer });
    attempts.set(row.delivery_id, list);
  }
  return attempts;
};

const deliveryOf = (row: DeliveryRow, attempts: readonly Attempt[]): StoredDelivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  eventId: row.event_id,
  kind: row.kind,
  signalId: row.signal_id,
  status: row.status,
  attempts,
  nextAttemptAt: row.next_attempt_at,
  createdAt: row.created_at,
});

const owns = async (db: Db, accountId: AccountId, id: WebhookId): Promise<boolean> => {
  const query = db.selectFrom("webhook").select("id").where("id", "=", id);
  return (await query.where("account_id", "=", accountId).executeTakeFirst()) !== undefined;
};

/** Ids begin with the time of their event, so the newest come first. */
const listDeliveries = async (
  { db }: ControlContext,
  ...[accountId, webhookId, query]: Parameters<Deliveries["list"]>
): ReturnType<Deliveries["list"]> => {
  if (!(await owns(db, accountId, webhookId))) return null;
  const { limit, cursor, status, event, from, to } = query;
  const before = cursor === undefined ? null : decodeCursor(afterId(DeliveryId), cursor).id;
  const rows = await db
    .selectFrom("delivery")
    .selectAll()
    .where("webhook_id", "=", webhookId)
    .$if(before !== null, (list) => list.where("id", "<", before))
    .$if(status !== undefined, (list) => list.where("status", "=", status ?? "pending"))
    .$if(event !== undefined, (list) => list.where("kind", "in", event ?? []))
    .$if(from !== undefined, (list) => list.where("created_at", ">=", Date.parse(from ?? "")))
    .$if(to !== undefined, (list) => list.where("created_at", "<", Date.parse(to ?? "")))
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const attempts = await attemptsOf(
    db,
    rows.map(({ id }) => id),
  );
  return pageOf(
    rows,
    limit,
    (row) => deliveryOf(row, attempts.get(row.id) ?? []),
    ({ id }) => ({ id }),
  );
};

const getDelivery = async (
  db: Db,
  ...[accountId, webhookId, id]: Parameters<Deliveries["get"]>
): ReturnType<Deliveries["get"]> => {
  if (!(await owns(db, accountId, webhookId))) return null;
  const query = db.selectFrom("delivery").selectAll().where("id", "=", id);
  const row = await query.where("webhook_id", "=", webhookId).executeTakeFirst();
  return row === undefined ? null : deliveryOf(row, (await attemptsOf(db, [id])).get(id) ?? []);
};

/** Due now, as if never tried, but that its attempts go on being counted. */
const again = (db: Db, { clock }: ControlContext) =>
  db.updateTable("delivery").set((delivery) => ({
    status: "pending" as const,
    attempts_before: delivery.ref("attempts"),
    next_attempt_at: clock.now(),
  }));

/** Below every id of that time and after. */
const idBefore = (prefix: string, ms: number): string => `${prefix}_${ulid(ms, new Uint8Array(10))}`;

/** Events that nothing speaks of any more: of what is that old, only deliveries still pending are left. */
const pruneEvents = async (db: Db, before: number, limit: number): Promise<number> => {
  const spoken = db
    .selectFrom("delivery")
    .select("event_id")
    .where(sql<string>`delivery.id`, "<", idBefore("dlv", before));
  const old = db
    .selectFrom("webhook_event")
    .select("id")
    .where(sql<string>`id`, "<", idBefore("evt", before))
    .where("id", "not in", spoken)
    .orderBy("id")
    .limit(limit);
  const done = await db.deleteFrom("webhook_event").where("id", "in", old).executeTakeFirst();
  return Number(done.numDeletedRows);
};

const prune = (context: ControlContext, before: number, limit: number): Promise<number> =>
  inTransaction(context, async (trx) => {
    const old = await trx
      .selectFrom("delivery")
      .select("id")
      .where(sql<string>`id`, "<", idBefore("dlv", before))
      .where("status", "<>", "pending")
      .orderBy("id")
      .limit(limit)
      .execute();
    for (const slice of slices(old))
      await trx
        .deleteFrom("delivery")
        .where(
          "id",
          "in",
          slice.map(({ id }) => id),
        )
        .execute();
    return old.length + (await pruneEvents(trx, before, limit - old.length));
  });

/** What was sent, for who asks; and sending it once more. */
export const createDeliveryHistory = (
  context: ControlContext,
): Pick<Deliveries, "list" | "get" | "body" | "resend" | "recover" | "prune"> => {
  const { db } = context;
  return {
    list: (accountId, webhookId, query) => listDeliveries(context, accountId, webhookId, query),
    get: (accountId, webhookId, id) => getDelivery(db, accountId, webhookId, id),
    body: async (accountId, webhookId, eventId) => {
      if (!(await owns(db, accountId, webhookId))) return null;
      const row = await db
        .selectFrom("delivery")
        .innerJoin("webhook_event", "webhook_event.id", "delivery.event_id")
        .select("webhook_event.body")
        .where("delivery.id", "=", deliveryIdOf(webhookId, eventId))
        .executeTakeFirst();
      return row?.body ?? null;
    },
    resend: (accountId, webhookId, id) =>
      inTransaction(context, async (trx) => {
        if (!(await owns(trx, accountId, webhookId))) return null;
        await again(trx, context).where("id", "=", id).where("webhook_id", "=", webhookId).execute();
        await countChange(trx);
        return getDelivery(trx, accountId, webhookId, id);
      }),
    recover: (webhookId, since) =>
      inTransaction(context, async (trx) => {
        const done = await again(trx, context)
          .where("webhook_id", "=", webhookId)
          .where("status", "in", ["failed", "discarded"])
          .where("created_at", ">=", since)
          .executeTakeFirst();
        await countChange(trx);
        return Number(done.numUpdatedRows);
      }),
    prune: (before, limit) => prune(context, before, limit),
  };
};
