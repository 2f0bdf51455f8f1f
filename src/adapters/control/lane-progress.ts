import { isDeepStrictEqual } from "node:util";
import type { DeliveryId, WebhookId } from "../../../schemas/common.ts";
import type { DeliveryStatus } from "../../../schemas/webhook.ts";
import type { LaneProgress, MadeAttempt } from "../../ports/webhooks.ts";
import { type ControlContext, type ControlTransaction, slices } from "./engine.ts";
import { inTransaction } from "./transaction.ts";
import { noteDisabled } from "./webhook-notices.ts";
import { circuitColumns, circuitOf, webhookOf } from "./webhook-row.ts";
import { countChange, stopLane } from "./webhook-state.ts";

/** With whether its circuit is another than the one that is kept. */
interface Held extends LaneProgress {
  readonly isCircuitNew: boolean;
}

/** Before any lane, as whoever changes a webhook does: in another order the two would wait for each other. */
const lockToDisable = async (
  { engine }: ControlContext,
  trx: ControlTransaction,
  progress: readonly LaneProgress[],
): Promise<void> => {
  const ids = progress.filter(({ disable }) => disable !== null).map(({ webhookId }) => webhookId);
  if (ids.length === 0 || !engine.rowLocks) return;
  await trx.selectFrom("webhook").select("id").where("id", "in", ids).orderBy("id").forUpdate().execute();
};

/** Those whose fence still holds, locked in the order of their ids until the transaction ends. */
const heldOf = async (
  { engine }: ControlContext,
  trx: ControlTransaction,
  progress: readonly LaneProgress[],
): Promise<Held[]> => {
  const rows = await trx
    .selectFrom("webhook_lane")
    .select(["webhook_id", "fence", "failures_in_row", "failing_since", "open_until"])
    .where(
      "webhook_id",
      "in",
      progress.map(({ webhookId }) => webhookId),
    )
    .orderBy("webhook_id")
    .$if(engine.rowLocks, (query) => query.forUpdate())
    .execute();
  const byId = new Map(rows.map((row) => [row.webhook_id, row]));
  return progress.flatMap((lane) => {
    const row = byId.get(lane.webhookId);
    if (row?.fence !== lane.fence) return [];
    return [{ ...lane, isCircuitNew: !isDeepStrictEqual(circuitOf(row), lane.circuit) }];
  });
};

const writeAttempts = async (trx: ControlTransaction, attempts: readonly MadeAttempt[]): Promise<void> => {
  for (const slice of slices(attempts)) {
    const rows = slice.map((made) => ({
      delivery_id: made.deliveryId,
      number: made.number,
      at: made.at,
      duration_ms: made.durationMs,
      status: made.status,
      failure: made.failure,
      detail: made.detail,
      response_body: made.responseBody,
    }));
    // Saved again, when the answer to the first time was lost, they are the same.
    await trx
      .insertInto("delivery_attempt")
      .values(rows)
      .onConflict((conflict) => conflict.columns(["delivery_id", "number"]).doNothing())
      .execute();
  }
};

/** Alike for all of them: what was delivered at its first attempt, above all. */
const markAlike = async (
  trx: ControlTransaction,
  status: DeliveryStatus,
  number: number,
  ids: readonly DeliveryId[],
): Promise<void> => {
  for (const slice of slices(ids))
    await trx
      .updateTable("delivery")
      .set({ status, attempts: number, next_attempt_at: null })
      .where("id", "in", slice)
      .execute();
};

const markDeliveries = async (trx: ControlTransaction, attempts: readonly MadeAttempt[]): Promise<void> => {
  const finished = attempts.filter(({ becomes }) => becomes !== "pending");
  const alike = Map.groupBy(finished, ({ becomes, number }) => `${becomes} ${number}`);
  for (const group of alike.values()) {
    const [one] = group;
    if (one === undefined) continue;
    const ids = group.map(({ deliveryId }) => deliveryId);
    await markAlike(trx, one.becomes, one.number, ids);
  }
  for (const { deliveryId, number, nextAttemptAt } of attempts.filter(({ becomes }) => becomes === "pending"))
    await trx
      .updateTable("delivery")
      .set({ attempts: number, next_attempt_at: nextAttemptAt })
      .where("id", "=", deliveryId)
      .execute();
};

/** The service's own word on a webhook: its owner sees the reason, and may enable it again. */
const disable = async (
  context: ControlContext,
  trx: ControlTransaction,
  id: WebhookId,
  reason: string,
): Promise<void> => {
  const { clock, sealer } = context;
  const row = await trx.selectFrom("webhook").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) return;
  const { settings: before, accountId } = webhookOf({ sealer }, row);
  await noteDisabled(context, trx, accountId, { id, name: before.name, reason });
  const settings = JSON.stringify({ ...before, enabled: false });
  await trx
    .updateTable("webhook")
    .set((webhook) => ({
      settings,
      disabled_reason: reason,
      revision: webhook("revision", "+", 1),
      updated_at: clock.now(),
    }))
    .where("id", "=", id)
    .execute();
  await stopLane(trx, id);
  await countChange(trx);
};

/** See `Lanes.save`. */
export const saveProgress = (
  context: ControlContext,
  progress: readonly LaneProgress[],
): Promise<ReadonlySet<WebhookId>> =>
  inTransaction(context, async (trx) => {
    await lockToDisable(context, trx, progress);
    const held = await heldOf(context, trx, progress);
    const attempts = held.flatMap((lane) => lane.attempts);
    await writeAttempts(trx, attempts);
    await markDeliveries(trx, attempts);
    for (const { webhookId, circuit, isCircuitNew, disable: reason } of held) {
      if (reason !== null) await disable(context, trx, webhookId, reason);
      // Of most endpoints nothing is new: they are well, as before.
      else if (isCircuitNew)
        await trx
          .updateTable("webhook_lane")
          .set(circuitColumns(circuit))
          .where("webhook_id", "=", webhookId)
          .execute();
    }
    const kept = new Set(held.map(({ webhookId }) => webhookId));
    return new Set(progress.map(({ webhookId }) => webhookId).filter((id) => !kept.has(id)));
  });
