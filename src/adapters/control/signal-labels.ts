import { type ExpressionBuilder, type Kysely, sql } from "kysely";
import type { AccountId, Labels, SignalId } from "../../../schemas/common.ts";
import type { ControlTables } from "./tables.ts";

/** What at most this many signals share is looked up first; what is commoner is checked along the list's order. */
export const RARE = 2000;

type Db = Kysely<ControlTables>;
type Label = readonly [key: string, value: string];

const withLabel = (db: Db, accountId: AccountId, [key, value]: Label) =>
  db
    .selectFrom("signal_label")
    .select("signal_label.signal_id")
    .where("signal_label.account_id", "=", accountId)
    .where("signal_label.key", "=", key)
    .where("signal_label.value", "=", value);

/** Of each label how many signals have it, up to one more than is rare. */
const countsOf = async (db: Db, accountId: AccountId, labels: readonly Label[]) => {
  const counts = labels.map((label, at) =>
    db
      .selectFrom(
        withLabel(db, accountId, label)
          .limit(RARE + 1)
          .as("matches"),
      )
      .select((eb) => [sql.lit(at).as("at"), eb.fn.countAll<number>().as("count")]),
  );
  const [first, ...others] = counts;
  if (first === undefined) return [];
  return others.reduce((all, count) => all.unionAll(count), first).execute();
};

/**
 * Those who have the first label and all others, which are checked one by one within the index by value: the offset is
 * there so that PostgreSQL makes no join of it, which before it has counted its rows goes through all labels for each.
 */
const withFirst = (db: Db, accountId: AccountId, first: Label, others: readonly Label[]) =>
  withLabel(db, accountId, first).where((eb) =>
    eb.and(
      others.map(([key, value]) =>
        eb.exists(
          eb
            .selectFrom("signal_label as other")
            .select("other.value")
            .whereRef("other.account_id", "=", "signal_label.account_id")
            .whereRef("other.signal_id", "=", "signal_label.signal_id")
            .where("other.key", "=", key)
            .where("other.value", "=", value)
            .limit(1)
            .offset(0),
        ),
      ),
    ),
  );

/** Ids of signals that have every label, of which there must be one, in whatever order is asked for. */
export const withEach = (db: Db, accountId: AccountId, labels: Labels) => {
  const [first, ...others] = Object.entries(labels);
  if (first === undefined) throw new RangeError("no label to go by");
  return withFirst(db, accountId, first, others);
};

/** An intersection of index ranges that are in the order of ids already. */
const withAll = (db: Db, accountId: AccountId, labels: readonly Label[]) =>
  labels
    .map((label) => withLabel(db, accountId, label))
    .reduce((one, other) => one.intersect(other))
    .limit(RARE + 1);

/**
 * The ids of all signals that have every label, where they are few; null where they are many. No planner knows which:
 * it depends on the values.
 */
export const rareMatches = async (
  db: Db,
  accountId: AccountId,
  labels: Labels,
): Promise<SignalId[] | null> => {
  const all = Object.entries(labels);
  if (all.length === 0) return null;
  const counts = await countsOf(db, accountId, all);
  const [rarest] = counts.sort((one, other) => one.count - other.count);
  const first = all[rarest?.at ?? 0];
  if (rarest === undefined || first === undefined) return null;
  if (rarest.count > RARE && all.length === 1) return null;
  const others = all.filter((label) => label !== first);
  const ids = rarest.count > RARE ? withAll(db, accountId, all) : withFirst(db, accountId, first, others);
  const rows = await ids.execute();
  return rows.length > RARE ? null : rows.map(({ signal_id }) => signal_id);
};

/** Every label, checked signal by signal within the index by value: the account is there for its sake. */
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
