import type { Condition } from "../../../schemas/condition.ts";

/** A value that was evaluated, dBm or quality as Float32, with its own time in Unix ms. */
export interface Evaluated {
  readonly at: number;
  readonly value: number;
}

const STEPS_BACK = 12;

/** How far a value has moved from those before it that the window still holds; 0 when it holds none. */
export const movementOf = (
  { at, value }: Evaluated,
  before: readonly Evaluated[],
  { overSeconds = 0, direction = "either" }: Pick<Condition, "overSeconds" | "direction">,
): number => {
  const stepMs = Math.ceil((overSeconds * 1000) / STEPS_BACK);
  const stepOf = (timeMs: number): number => Math.floor(timeMs / stepMs);
  const inWindow = before.filter((one) => stepOf(one.at) >= stepOf(at) - STEPS_BACK);
  const rises = inWindow.map((one) => value - one.value);
  const falls = inWindow.map((one) => one.value - value);
  if (direction === "rise") return Math.max(0, ...rises);
  if (direction === "fall") return Math.max(0, ...falls);
  return Math.max(0, ...rises, ...falls);
};
