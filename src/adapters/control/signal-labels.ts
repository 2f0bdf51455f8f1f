import type { ExpressionBuilder, Kysely } from "kysely";
import type { AccountId, Labels } from "../../../schemas/common.ts";
import type { ControlTables } from "./tables.ts";

/** Labels that at most this many signals share are looked up first; commoner ones are checked along the list's order. */
const RARE = 2000;

const withLabel = (
  db: Kysely<ControlTables>,
  accountId: AccountId,
  [key, value]: readonly [string, string],
) =>
  db
    .selectFrom("signal_label")
    .select("signal_label.signal_id")
    .where("signal_label.account_id", "=", accountId)
    .where("signal_label.key", "=", key)
    .where("signal_label.value", "=", value);

/** The ids of signals with all labels: an intersection of index ranges that are in the order of ids already. */
const withLabels = (db: Kysely<ControlTables>, accountId: AccountId, labels: Labels) =>
  Object.entries(labels)
    .map((label) => withLabel(db, accountId, label))
    .reduce((one, other) => one.intersect(other));

/** The ids to start from where few signals match; null where many do. No planner knows which: it depends on the values. */
export const rareMatches = async (db: Kysely<ControlTables>, accountId: AccountId, labels: Labels) => {
  if (Object.keys(labels).length === 0) return null;
  const ids = withLabels(db, accountId, labels);
  const { count } = await db
    .selectFrom(ids.limit(RARE + 1).as("matches"))
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count <= RARE ? ids : null;
};

/**
 * Every label, checked signal by signal within the index by value: the account is there for its sake, and the offset so
 * that PostgreSQL makes no join of it, which before it has counted its rows goes through all labels for each signal.
 */
export const hasLabels = (eb: ExpressionBuilder<ControlTables, "signal">, labels: Labels) =>
  eb.and(
    Object.entries(labels).map(([key, value]) =>
      eb.exists(
        eb
          .selectFrom("signal_label")
          .select("signal_label.value")
          .whereRef("signal_label.account_id", "=", "signal.account_id")
          .whereRef("signal_label.signal_id", "=", "signal.id")
          .where("signal_label.key", "=", key)
          .where("signal_label.value", "=", value)
          .limit(1)
          .offset(0),
      ),
    ),
  );
