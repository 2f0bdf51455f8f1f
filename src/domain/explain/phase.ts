import type { SignalState } from "../evaluation/signal-state.ts";

/** Where a rule stands on a signal; clearing is firing still, until `keepFiringForSeconds` are over. */
export interface Phase {
  readonly name: "idle" | "pending" | "firing" | "clearing";
  /** When it began, by the readings' own time; NaN of idle. */
  readonly sinceMs: number;
  /** When the wait is over, if nothing ends it before; infinity where nothing waits. */
  readonly untilMs: number;
}

const IDLE: Phase = { name: "idle", sinceMs: Number.NaN, untilMs: Number.POSITIVE_INFINITY };

/** Of a signal on which there is one rule only. */
export const phaseOf = (signal: SignalState | null): Phase => {
  const condition = signal?.conditions[0];
  if (condition === undefined) return IDLE;
  const { phase: name, rule, atMs: sinceMs, firedAtMs } = condition;
  if (name === "firing") return { name, sinceMs: firedAtMs, untilMs: Number.POSITIVE_INFINITY };
  return { name, sinceMs, untilMs: sinceMs + (name === "pending" ? rule.forMs : rule.keepFiringForMs) };
};
