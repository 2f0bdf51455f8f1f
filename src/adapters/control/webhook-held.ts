import type { GroupId } from "../../../schemas/common.ts";
import type { WebhookGroupStore } from "../../ports/webhook-groups.ts";
import type { ControlContext, ControlTransaction } from "./engine.ts";
import { inTransaction } from "./transaction.ts";

/** Those that a group holds: all, or by whether its notification tells the same. */
const heldBy = (trx: ControlTransaction, id: GroupId, isTold: boolean | null) =>
  trx
    .selectFrom("webhook_held")
    .select("delivery_id")
    .where("group_id", "=", id)
    .$if(isTold !== null, (query) => query.where("is_told", "=", isTold ? 1 : 0));

/** See `WebhookGroupStore.settle`. What was sent again by hand meanwhile is left alone. */
export const settleHeld = (
  context: ControlContext,
  ...[id, told]: Parameters<WebhookGroupStore["settle"]>
): Promise<number | null> =>
  inTransaction(context, async (trx) => {
    const isGrouped = told === "by the group";
    if (isGrouped)
      await trx
        .updateTable("delivery")
        .set({ status: "grouped" })
        .where("id", "in", heldBy(trx, id, true))
        .where("status", "=", "held")
        .execute();
    const released = await trx
      .updateTable("delivery")
      .set({ status: "pending" })
      .where("id", "in", heldBy(trx, id, isGrouped ? false : null))
      .where("status", "=", "held")
      .returning("position")
      .execute();
    await trx.deleteFrom("webhook_held").where("group_id", "=", id).execute();
    const positions = released.map(({ position }) => position);
    return positions.reduce<number | null>((low, one) => (low === null ? one : Math.min(low, one)), null);
  });
