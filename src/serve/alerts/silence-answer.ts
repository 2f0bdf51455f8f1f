import type { Silence, SilenceState } from "../../../schemas/silence.ts";
import type { StoredSilence } from "../../ports/alerts.ts";
import type { ControlStore } from "../../ports/control-store.ts";
import { timestamp } from "../answers.ts";

const stateOf = ({ definition }: StoredSilence, holds: boolean, nowMs: number): SilenceState => {
  const { from, until, untilResolved } = definition;
  if (untilResolved) return holds ? "active" : "expired";
  if (nowMs < Date.parse(from)) return "pending";
  return until !== null && nowMs >= Date.parse(until) ? "expired" : "active";
};

/** Silences as their owner sees them at this time. */
export const silenceAnswers = async (
  { silences }: Pick<ControlStore, "silences">,
  stored: readonly StoredSilence[],
  nowMs: number,
): Promise<Silence[]> => {
  const holding = await silences.holding(stored);
  return stored.map((silence) => ({
    ...silence.definition,
    state: stateOf(silence, holding.has(silence.definition.id), nowMs),
    createdBy: silence.createdBy,
    createdAt: timestamp(silence.createdAt),
    updatedAt: timestamp(silence.updatedAt),
  }));
};
