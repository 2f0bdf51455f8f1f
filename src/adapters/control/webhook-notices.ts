import { type AccountId, EventId } from "../../../schemas/common.ts";
import { disabledEvent } from "../../domain/webhooks/disabled-event.ts";
import type { Webhooks } from "../../ports/webhooks.ts";
import { newUlid } from "./changed.ts";
import { type ControlContext, type ControlTransaction, slices } from "./engine.ts";

/** In the transaction that disables it, so that the account is told if and only if it was. */
export const noteDisabled = async (
  context: Pick<ControlContext, "clock" | "ulids">,
  trx: ControlTransaction,
  accountId: AccountId,
  webhook: Parameters<typeof disabledEvent>[1],
): Promise<void> => {
  const id = EventId.parse(`evt_${newUlid(context)}`);
  const event = disabledEvent(id, webhook, context.clock.now());
  await trx
    .insertInto("webhook_notice")
    .values({ id, account_id: accountId, event: JSON.stringify(event) })
    .execute();
};

export const createNotices = ({ db }: ControlContext): Pick<Webhooks, "notices" | "told"> => ({
  notices: async (limit) => {
    const rows = await db.selectFrom("webhook_notice").selectAll().orderBy("id").limit(limit).execute();
    return rows.map((row) => ({ accountId: row.account_id, signalId: null, event: JSON.parse(row.event) }));
  },
  told: async (ids) => {
    for (const slice of slices(ids)) await db.deleteFrom("webhook_notice").where("id", "in", slice).execute();
  },
});
