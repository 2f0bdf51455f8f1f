import type { Alert, Explained } from "../../api/types.ts";

type Valued = Pick<Alert, "state" | "value" | "resolveReason">;
type Fact = readonly [name: string, value: number];

/** What made an alert fire, as its explanation of that moment tells it; null: it does not. */
const crossedAt = ({ outcome, steps }: Pick<Explained, "outcome" | "steps">): number | null =>
  outcome === "firing"
    ? (steps.findLast(({ kind, value }) => kind === "firing" && value !== undefined)?.value ?? null)
    : null;

/**
 * What an alert compared, by what it was to it: the value that waits, that fired, and that ended it. An alert itself has
 * the newest only.
 */
export const valueFacts = (
  { state, value, resolveReason }: Valued,
  why: Pick<Explained, "outcome" | "steps" | "rule"> | undefined,
): Fact[] => {
  if (state === "pending") return value === null ? [] : [["Reading", value]];
  const isSilence = why?.rule.condition.operator === "noData";
  const crossed = (why === undefined ? null : crossedAt(why)) ?? (state === "firing" ? value : null);
  const hasRecovered = state === "resolved" && resolveReason === "recovered" && !isSilence;
  return [
    ...(crossed === null ? [] : [[isSilence ? "Silent for" : "Crossed at", crossed] as const]),
    ...(hasRecovered && value !== null ? [["Recovered at", value] as const] : []),
  ];
};
