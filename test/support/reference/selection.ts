import type { SignalDefinition } from "../../../schemas/change.ts";
import type { Selection } from "../../../schemas/rule.ts";

/** All that is named must match; nothing named selects every signal. */
export const selects = (
  { signalIds, labels, sourceId }: Selection,
  signal: Pick<SignalDefinition, "id" | "labels" | "sourceId">,
): boolean => {
  if (signalIds !== undefined && !signalIds.includes(signal.id)) return false;
  if (sourceId !== undefined && sourceId !== signal.sourceId) return false;
  return Object.entries(labels ?? {}).every(([key, text]) => signal.labels[key] === text);
};
