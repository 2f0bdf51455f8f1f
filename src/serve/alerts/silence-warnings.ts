import type { AccountId } from "../../../schemas/common.ts";
import type { Warning } from "../../../schemas/rule.ts";
import type { Silence } from "../../../schemas/silence.ts";
import type { Repositories } from "../../ports/control-store.ts";
import { selectionWarnings } from "./selection-warnings.ts";

/** What of a silence is allowed and likely not meant, as things stand. */
export const silenceWarnings = async (
  within: Pick<Repositories, "signals" | "rules">,
  accountId: AccountId,
  { select, ruleIds, untilResolved, state }: Silence,
): Promise<Warning[]> => {
  const warnings = await selectionWarnings(within, accountId, select);
  for (const [at, id] of (ruleIds ?? []).entries())
    if ((await within.rules.get(accountId, id)) === null)
      warnings.push({ path: `ruleIds.${at}`, message: `there is no rule ${id}` });
  if (untilResolved && state === "expired" && warnings.length === 0)
    warnings.push({ path: "untilResolved", message: "nothing that it selects fires: it silences nothing" });
  return warnings;
};
