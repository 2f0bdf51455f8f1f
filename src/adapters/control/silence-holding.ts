import type { SilenceId } from "../../../schemas/common.ts";
import type { StoredSilence } from "../../ports/alerts.ts";
import type { ControlContext } from "./engine.ts";
import { canMatch, isSelected } from "./signal-selection.ts";

/** It took what fired when it came, and nothing else ever. */
export const holdsAny = async (
  { db }: Pick<ControlContext, "db">,
  { accountId, definition, createdAt }: StoredSilence,
) => {
  const { select, ruleIds } = definition;
  if (!canMatch(select)) return false;
  let query = db
    .selectFrom("alert")
    .select("alert.id")
    .where("alert.account_id", "=", accountId)
    .where("alert.state", "=", "firing")
    .where("alert.fired_at", "<=", createdAt)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("signal")
          .select("signal.id")
          .whereRef("signal.id", "=", "alert.signal_id")
          .where((signal) => isSelected(signal, select)),
      ),
    );
  if (ruleIds !== null) query = query.where("alert.rule_id", "in", ruleIds);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
};

export const holdingSilences = async (
  context: ControlContext,
  silences: readonly StoredSilence[],
): Promise<ReadonlySet<SilenceId>> => {
  const held = new Set<SilenceId>();
  for (const silence of silences)
    if (silence.definition.untilResolved && (await holdsAny(context, silence)))
      held.add(silence.definition.id);
  return held;
};
