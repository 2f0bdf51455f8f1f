import type { ExpressionBuilder } from "kysely";
import type { AccountId } from "../../../schemas/common.ts";
import type { Selection } from "../../../schemas/rule.ts";
import type { ControlContext } from "./engine.ts";
import { hasLabels, rareMatches } from "./signal-labels.ts";
import type { ControlTables } from "./tables.ts";
import { isStorable } from "./text.ts";

type Signals = ExpressionBuilder<ControlTables, "signal">;

/** A label with text that no engine keeps is no signal's. */
export const canMatch = ({ labels = {} }: Selection): boolean => Object.values(labels).every(isStorable);

/** That a signal is selected, whichever account it is of; its labels must be `canMatch`. */
export const isSelected = (eb: Signals, { signalIds, sourceId, labels }: Selection) =>
  eb.and([
    ...(signalIds === undefined ? [] : [eb("signal.id", "in", signalIds)]),
    ...(sourceId === undefined ? [] : [eb("signal.source_id", "=", sourceId)]),
    ...(labels === undefined ? [] : [hasLabels(eb, labels)]),
  ]);

const hasLabel = (eb: Signals, key: string) =>
  eb.exists(
    eb
      .selectFrom("signal_label")
      .select("signal_label.value")
      .whereRef("signal_label.signal_id", "=", "signal.id")
      .where("signal_label.key", "=", key),
  );

export const anySelected = async (
  { db }: ControlContext,
  accountId: AccountId,
  selection: Selection,
  label?: string,
): Promise<boolean> => {
  if (!canMatch(selection)) return false;
  const { labels = {}, ...rest } = selection;
  const few = await rareMatches(db, accountId, labels);
  const found = await db
    .selectFrom("signal")
    .select("signal.id")
    .where("signal.account_id", "=", accountId)
    .where((eb) => isSelected(eb, few === null ? selection : rest))
    .$if(few !== null, (query) => query.where("signal.id", "in", few ?? []))
    .$if(label !== undefined, (query) => query.where((eb) => hasLabel(eb, label ?? "")))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
};
