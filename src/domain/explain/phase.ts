import type { LevelState } from "../evaluation/ongoing.ts";
import type { SignalState } from "../evaluation/signal-state.ts";

/** Where a rule stands on a signal; clearing is firing still, until `keepFiringForSeconds` are over. Of levels: the hardest that fires. */
export interface Phase {
  readonly name: "idle" | "pending" | "firing" | "clearing";
  /** When it began, by the readings' own time; NaN of idle. */
  readonly sinceMs: number;
  /** When the wait is over, if nothing ends it before; infinity where nothing waits. */
  readonly untilMs: number;
}

const IDLE: Phase = { name: "idle", sinceMs: Number.NaN, untilMs: Number.POSITIVE_INFINITY };

const isPending = ({ phase }: LevelState): boolean => phase === "pending";

/** Of a signal on which there is one rule only. */
export const phaseOf = (signal: SignalState | null): Phase => {
  const condition = signal?.conditions[0];
  if (condition === undefined) return IDLE;
  const { rule, levels, firedAtMs } = condition;
  const level = condition.level < 0 ? levels.find(isPending) : levels[condition.level];
  if (level === undefined || level.phase === "idle") return IDLE;
  const { phase: name, atMs: sinceMs } = level;
  if (name === "firing") return { name, sinceMs: firedAtMs, untilMs: Number.POSITIVE_INFINITY };
  return { name, sinceMs, untilMs: sinceMs + (name === "pending" ? rule.forMs : rule.keepFiringForMs) };
};
