import type { AccountId } from "../../../schemas/common.ts";
import type { Selection, Warning } from "../../../schemas/rule.ts";
import type { Repositories } from "../../ports/control-store.ts";

/** A selection that names something, and finds nothing: signals may come later. */
export const selectionWarnings = async (
  { signals }: Pick<Repositories, "signals">,
  accountId: AccountId,
  selection: Selection,
): Promise<Warning[]> => {
  const names = Object.keys(selection).length > 0;
  if (!names || (await signals.anySelected(accountId, selection))) return [];
  return [{ path: "select", message: "matches no signal as yet" }];
};
