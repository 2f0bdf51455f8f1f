import type { WebhookId } from "../../../schemas/common.ts";
import { CLOSED } from "../../domain/webhooks/circuit.ts";
import type { ControlTransaction } from "./engine.ts";
import { circuitColumns } from "./webhook-row.ts";

/** Whoever keeps webhooks in mind reads them again. */
export const countChange = async (trx: ControlTransaction): Promise<void> => {
  await trx
    .updateTable("outbox_counter")
    .set((counter) => ({ position: counter("position", "+", 1) }))
    .where("name", "=", "webhooks")
    .execute();
};

/** Nothing more is sent to it, whoever holds its lane; what was pending is discarded. */
export const stopLane = async (trx: ControlTransaction, id: WebhookId): Promise<void> => {
  await trx
    .updateTable("webhook_lane")
    .set((lane) => ({ enabled: 0, owner: null, lease_until: 0, fence: lane("fence", "+", 1) }))
    .where("webhook_id", "=", id)
    .execute();
  await trx
    .updateTable("delivery")
    .set({ status: "discarded", next_attempt_at: null })
    .where("webhook_id", "=", id)
    .where("status", "in", ["pending", "held"])
    .execute();
  await trx.deleteFrom("webhook_group").where("webhook_id", "=", id).execute();
};

/** It wants groups no more: what they have not told yet is due. */
export const endGroups = async (trx: ControlTransaction, id: WebhookId, now: number): Promise<void> => {
  await trx.updateTable("webhook_group").set({ due_at: now }).where("webhook_id", "=", id).execute();
};

/** With its past forgiven. */
export const startLane = async (trx: ControlTransaction, id: WebhookId): Promise<void> => {
  await trx
    .updateTable("webhook_lane")
    .set({ enabled: 1, ...circuitColumns(CLOSED) })
    .where("webhook_id", "=", id)
    .execute();
};
