import type { ApiKeyId, OAuthGrantId } from "../../../schemas/common.ts";
import type { ControlContext } from "./engine.ts";
import { inTransaction } from "./transaction.ts";

/** Keeps when each was last used, Unix ms; the newest counts. One after the other by id, as others lock them, too. */
export const keepLastUsed = async (
  context: ControlContext,
  table: "api_key" | "oauth_grant",
  at: ReadonlyMap<ApiKeyId | OAuthGrantId, number>,
): Promise<void> => {
  if (at.size === 0) return;
  await inTransaction(context, async (trx) => {
    for (const [id, usedAt] of [...at].sort(([a], [b]) => (a < b ? -1 : 1)))
      await trx
        .updateTable(table)
        .set({ last_used_at: usedAt })
        .where("id", "=", id)
        .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", usedAt)]))
        .execute();
  });
};
