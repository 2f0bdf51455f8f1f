import type { ExpressionBuilder } from "kysely";
import type { AccountId, SignalId } from "../../../schemas/common.ts";
import type { Selection } from "../../../schemas/rule.ts";
import type { LabelValues, Signals } from "../../ports/control-store.ts";
import type { ControlContext } from "./engine.ts";
import { hasLabels, rareMatches } from "./signal-labels.ts";
import type { ControlTables } from "./tables.ts";
import { isStorable } from "./text.ts";

type SignalRows = ExpressionBuilder<ControlTables, "signal">;

/** A label with text that no engine keeps is no signal's. */
export const canMatch = ({ labels = {} }: Selection): boolean => Object.values(labels).every(isStorable);

/** That a signal is selected, whichever account it is of; its labels must be `canMatch`. */
export const isSelected = (eb: SignalRows, { signalIds, sourceId, labels }: Selection) =>
  eb.and([
    ...(signalIds === undefined ? [] : [eb("signal.id", "in", signalIds)]),
    ...(sourceId === undefined ? [] : [eb("signal.source_id", "=", sourceId)]),
    ...(labels === undefined ? [] : [hasLabels(eb, labels)]),
  ]);

const labelOf = (eb: SignalRows, key: string | undefined) =>
  eb
    .selectFrom("signal_label")
    .select("signal_label.value")
    .whereRef("signal_label.account_id", "=", "signal.account_id")
    .whereRef("signal_label.signal_id", "=", "signal.id")
    .where("signal_label.key", "=", key ?? "");

/** `few`: what `rareMatches` found for its labels; PostgreSQL takes no empty list. */
const selected = (
  { db }: ControlContext,
  accountId: AccountId,
  { labels, ...rest }: Selection,
  few: readonly SignalId[] | null,
) =>
  db
    .selectFrom("signal")
    .where("signal.account_id", "=", accountId)
    .where((eb) => isSelected(eb, few === null ? { ...rest, labels } : rest))
    .$if(few !== null, (query) => query.where("signal.id", "in", few ?? []));

export const anySelected = async (
  context: ControlContext,
  accountId: AccountId,
  selection: Selection,
): Promise<boolean> => {
  if (!canMatch(selection)) return false;
  const few = await rareMatches(context.db, accountId, selection.labels ?? {});
  if (few?.length === 0) return false;
  const query = selected(context, accountId, selection, few);
  return (await query.select("signal.id").limit(1).executeTakeFirst()) !== undefined;
};

/** What a signal may be told apart by here: more would not be read. */
const COMBINATIONS_MAX = 10_000;

export const labelValues = async (
  context: ControlContext,
  accountId: AccountId,
  selection: Selection,
  [first, second]: Parameters<Signals["labelValues"]>[2],
): Promise<LabelValues[]> => {
  if (!canMatch(selection)) return [];
  const few = await rareMatches(context.db, accountId, selection.labels ?? {});
  if (few?.length === 0) return [];
  const signals = selected(context, accountId, selection, few).select((eb) => [
    labelOf(eb, first).as("first"),
    labelOf(eb, second).as("second"),
  ]);
  const rows = await context.db
    .selectFrom(signals.as("own"))
    .select((eb) => ["own.first", "own.second", eb.fn.countAll<number>().as("signals")])
    .groupBy(["own.first", "own.second"])
    .limit(COMBINATIONS_MAX)
    .execute();
  return rows.map(({ first: one, second: other, signals: count }) => ({
    labels: {
      ...(one === null ? {} : { [first]: one }),
      ...(other === null || second === undefined ? {} : { [second]: other }),
    },
    signals: count,
  }));
};
