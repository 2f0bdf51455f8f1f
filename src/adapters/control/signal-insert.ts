import type { SignalDefinition } from "../../../schemas/change.ts";
import type { SignalId } from "../../../schemas/common.ts";
import { type ControlContext, type ControlTransaction, slices } from "./engine.ts";
import { labelRowsOf, rowOf } from "./signal-row.ts";

/** Adds new signals with their labels, but for those whose externalId is taken; gives the ones added. */
export const insertSignals = async (
  { engine }: Pick<ControlContext, "engine">,
  trx: ControlTransaction,
  definitions: readonly SignalDefinition[],
): Promise<SignalDefinition[]> => {
  const added = new Set<SignalId>();
  for await (const slice of slices(engine, definitions)) {
    const rows = await trx
      .insertInto("signal")
      .values(slice.map((definition) => rowOf(definition, "active")))
      .onConflict((conflict) => conflict.columns(["account_id", "external_id"]).doNothing())
      .returning("id")
      .execute();
    for (const { id } of rows) added.add(id);
  }
  const inserted = definitions.filter(({ id }) => added.has(id));
  for await (const labels of slices(engine, inserted.flatMap(labelRowsOf))) {
    await trx.insertInto("signal_label").values(labels).execute();
  }
  return inserted;
};
