import type { AccountId, RuleId, SignalId, SourceId } from "../../../schemas/common.ts";
import type { ControlTransaction } from "./engine.ts";

/** Deletes what the account has under the id, and gives the revision of its deletion; null when it has no such thing. */
export const deleteOwned = async (
  trx: ControlTransaction,
  table: "rule" | "signal" | "source",
  accountId: AccountId,
  id: RuleId | SignalId | SourceId,
): Promise<number | null> => {
  const deleted = await trx
    .deleteFrom(table)
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .returning("revision")
    .executeTakeFirst();
  return deleted === undefined ? null : deleted.revision + 1;
};
