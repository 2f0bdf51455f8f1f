import { sql } from "kysely";
import type { AccountId, RuleId, SignalId, SilenceId, SourceId, WebhookId } from "../../../schemas/common.ts";
import type { Changed, Expected } from "../../ports/control-store.ts";
import { notFound, unexpected } from "./changed.ts";
import type { ControlTransaction } from "./engine.ts";

type Refused = Extract<Changed<never>, { ok: false }>;

/** Deletes what was found there, and locked; or why it is left as it is. */
export const deleteFound = async <Found extends { readonly revision: number }>(
  trx: ControlTransaction,
  table: "rule" | "signal" | "silence" | "source" | "webhook",
  id: RuleId | SignalId | SilenceId | SourceId | WebhookId,
  found: Found | null,
  expected: Expected,
): Promise<{ readonly ok: true; readonly found: Found; readonly revision: number } | Refused> => {
  if (found === null) return notFound;
  const other = unexpected(found.revision, expected);
  if (other !== null) return other;
  await trx.deleteFrom(table).where("id", "=", id).execute();
  return { ok: true, found, revision: found.revision + 1 };
};

/**
 * Whether a signal is the account's, for those found by their ids. As a mere column SQLite would take it for the way to
 * find them, and go through all signals of the account.
 */
export const signalIsOf = (accountId: AccountId) =>
  sql<boolean>`${sql.ref("signal.account_id")} || '' = ${accountId}`;
