import type { SignalDefinition } from "../../../schemas/change.ts";
import type { SignalId } from "../../../schemas/common.ts";
import { type ControlTransaction, slices } from "./engine.ts";
import { labelRowsOf, rowOf } from "./signal-row.ts";

/** Adds new signals with their labels, but for those whose externalId is taken; gives the ones added. */
export const insertSignals = async (
  trx: ControlTransaction,
  definitions: readonly SignalDefinition[],
): Promise<SignalDefinition[]> => {
  const added = new Set<SignalId>();
  for (const slice of slices(definitions)) {
    const rows = await trx
      .insertInto("signal")
      .values(slice.map((definition) => rowOf(definition, "active")))
      .onConflict((conflict) => conflict.columns(["account_id", "external_id"]).doNothing())
      .returning("id")
      .execute();
    for (const { id } of rows) added.add(id);
  }
  const inserted = definitions.filter(({ id }) => added.has(id));
  for (const labels of slices(inserted.flatMap(labelRowsOf))) {
    await trx.insertInto("signal_label").values(labels).execute();
  }
  return inserted;
};
