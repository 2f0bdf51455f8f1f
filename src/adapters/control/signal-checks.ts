import type { SignalDefinition } from "../../../schemas/change.ts";
import { conflict, invalid } from "./changed.ts";
import { isStorable } from "./text.ts";

export const TAKEN = conflict("externalId", "is taken by another signal");

/** What the whole signal must satisfy beyond the schema of its parts; null when it does. */
export const refusedSignal = (signal: SignalDefinition): ReturnType<typeof invalid> | null => {
  if (signal.floorDbm >= signal.ceilingDbm) return invalid("floorDbm", "must be below ceilingDbm");
  if (!isStorable(signal.name)) return invalid("name", UNSTORABLE);
  if (!isStorable(signal.externalId ?? "")) return invalid("externalId", UNSTORABLE);
  const label = Object.entries(signal.labels).find(([, value]) => !isStorable(value));
  return label === undefined ? null : invalid(`labels.${label[0]}`, UNSTORABLE);
};
const UNSTORABLE = "has a character that cannot be stored";
