import type { ExpressionBuilder, Kysely } from "kysely";
import type { AccountId, Labels } from "../../../schemas/common.ts";
import type { ControlTables } from "./tables.ts";

/** A label that at most this many signals have is looked up first; a commoner one is checked along the list's order. */
const RARE = 1000;

const withLabel = (db: Kysely<ControlTables>, accountId: AccountId, key: string, value: string) =>
  db
    .selectFrom("signal_label")
    .select("signal_label.signal_id")
    .where("signal_label.account_id", "=", accountId)
    .where("signal_label.key", "=", key)
    .where("signal_label.value", "=", value);

const isRare = async (db: Kysely<ControlTables>, accountId: AccountId, key: string, value: string) => {
  const matches = withLabel(db, accountId, key, value).limit(RARE + 1);
  const row = await db
    .selectFrom(matches.as("matches"))
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return row.count <= RARE;
};

/** The label to start from, if one is rare: the planners cannot know, as neither has statistics of pairs. */
export const rareLabel = async (db: Kysely<ControlTables>, accountId: AccountId, labels: Labels) => {
  for (const [key, value] of Object.entries(labels)) {
    if (await isRare(db, accountId, key, value)) return withLabel(db, accountId, key, value);
  }
  return null;
};

/** Every label, checked by the primary key of the label table. */
export const hasLabels = (eb: ExpressionBuilder<ControlTables, "signal">, labels: Labels) =>
  eb.and(
    Object.entries(labels).map(([key, value]) =>
      eb.exists(
        eb
          .selectFrom("signal_label")
          .select("signal_label.value")
          .whereRef("signal_label.signal_id", "=", "signal.id")
          .where("signal_label.key", "=", key)
          .where("signal_label.value", "=", value),
      ),
    ),
  );
