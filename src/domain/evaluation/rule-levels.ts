import type { Severity } from "../../../schemas/condition.ts";
import type { PartitionClocks } from "./clocks.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import { calmMs } from "./flaps.ts";
import { clears, fires, type Limits } from "./limits.ts";
import type { LevelState, RuleCondition } from "./ongoing.ts";
import type { SignalState } from "./signal-state.ts";

/** The two clocks as a reading sees them. */
export interface Moment {
  readonly atMs: number;
  readonly recordMs: number;
}
export const momentOf = (signal: SignalState, clocks: PartitionClocks): Moment => ({
  atMs: signal.newestAtMs,
  recordMs: clocks.recordMs,
});

export const isFiring = ({ phase }: LevelState): boolean => phase === "firing" || phase === "clearing";

const waitMs = ({ phase }: LevelState, rule: CompiledRule): number | null => {
  if (phase === "pending") return rule.forMs;
  return phase === "clearing" ? rule.keepFiringForMs : null;
};

const enter = (level: LevelState, phase: LevelState["phase"], { atMs, recordMs }: Moment): void => {
  level.phase = phase;
  level.atMs = atMs;
  level.recordMs = recordMs;
};

export const startLevel = (level: LevelState, rule: CompiledRule, now: Moment): void =>
  enter(level, rule.forMs === 0 ? "firing" : "pending", now);

/** A value that cleared, or a reading that ended silence. */
export const clearLevel = (level: LevelState, rule: CompiledRule, now: Moment): void => {
  if (level.phase === "firing") enter(level, rule.keepFiringForMs === 0 ? "idle" : "clearing", now);
};

/** A reading that does not fire ends pending; one that does not clear ends clearing. */
export const compareLevel = (
  level: LevelState,
  rule: CompiledRule,
  limits: Limits,
  value: number,
  now: Moment,
): void => {
  if (level.phase === "idle") {
    if (fires(limits, value)) startLevel(level, rule, now);
  } else if (level.phase === "pending") {
    if (!fires(limits, value)) enter(level, "idle", now);
  } else if (clears(limits, value)) {
    clearLevel(level, rule, now);
  } else if (level.phase === "clearing") {
    enter(level, "firing", now);
  }
};

/**
 * Whether the schedule is closed at the moment at which a level has waited for long enough, by its reading's own time:
 * then nothing fires. No data waits for the schedule itself.
 */
const endsClosed = ({ atMs }: LevelState, { schedule, silenceMs, forMs }: CompiledRule): boolean =>
  schedule !== null && silenceMs === null && !schedule.isOpen(atMs + forMs);

/** Ends the wait of a level if it is over by either clock; `atMs` is the time of a reading of the signal, if there is one. */
export const passLevel = (
  level: LevelState,
  rule: CompiledRule,
  recordMs: number,
  atMs: number | null,
): void => {
  const wait = waitMs(level, rule);
  if (wait === null) return;
  const isOver = level.recordMs + wait <= recordMs || (atMs !== null && atMs - level.atMs >= wait);
  if (!isOver) return;
  level.phase = level.phase === "pending" && !endsClosed(level, rule) ? "firing" : "idle";
};

/** The hardest level that fires; -1: none does. */
export const hardestFiring = ({ levels }: RuleCondition): number => levels.findLastIndex(isFiring);

/** The severity that an alert has; that of the first level while it is pending. */
export const severityOf = ({ rule, level }: Pick<RuleCondition, "rule" | "level">): Severity =>
  (rule.levels[level] ?? rule.levels[0]).severity;

/** When what a signal's rules wait for is over by append time: the earliest of it; infinity where nothing waits. */
export const earliestWaitMs = ({ conditions, flaps }: SignalState): number => {
  let earliest = Number.POSITIVE_INFINITY;
  for (const { rule, levels } of conditions) {
    for (const level of levels) {
      const wait = waitMs(level, rule);
      if (wait !== null) earliest = Math.min(earliest, level.recordMs + wait);
    }
  }
  return flaps.reduce((soonest, one) => Math.min(soonest, calmMs(one)), earliest);
};
