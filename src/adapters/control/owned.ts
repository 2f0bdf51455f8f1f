import { sql } from "kysely";
import type { AccountId, RuleId, SignalId, SilenceId, SourceId, WebhookId } from "../../../schemas/common.ts";
import type { Changed, Expected } from "../../ports/control-store.ts";
import { notFound, unexpected } from "./changed.ts";
import type { ControlTransaction } from "./engine.ts";

type Refused = Extract<Changed<never>, { ok: false }>;

/** Deletes what the account has under the id, and gives the revision of its deletion; or why it is left as it is. */
export const deleteOwned = async (
  trx: ControlTransaction,
  table: "rule" | "signal" | "silence" | "source" | "webhook",
  accountId: AccountId,
  id: RuleId | SignalId | SilenceId | SourceId | WebhookId,
  expected: Expected,
): Promise<{ readonly revision: number } | Refused> => {
  const deleted = await trx
    .deleteFrom(table)
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .$if(expected !== null, (query) => query.where("revision", "in", expected ?? []))
    .returning("revision")
    .executeTakeFirst();
  if (deleted !== undefined) return { revision: deleted.revision + 1 };
  if (expected === null) return notFound;
  const query = trx.selectFrom(table).select("revision").where("id", "=", id);
  const stored = await query.where("account_id", "=", accountId).executeTakeFirst();
  return stored === undefined ? notFound : (unexpected(stored.revision, expected) ?? notFound);
};

/**
 * Whether a signal is the account's, for those found by their ids. As a mere column SQLite would take it for the way to
 * find them, and go through all signals of the account.
 */
export const signalIsOf = (accountId: AccountId) =>
  sql<boolean>`${sql.ref("signal.account_id")} || '' = ${accountId}`;
