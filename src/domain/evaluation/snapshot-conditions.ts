import { ChangeWindow } from "./change-window.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import { FeedRhythm } from "./feed-rhythm.ts";
import type { RuleCondition, SignalState } from "./signal-state.ts";
import {
  type ConditionRow,
  type FirstConditionRow,
  type MoreRow,
  type SignalRow,
  SnapshotUnreadableError,
} from "./snapshot-rows.ts";

/** JSON has no word for what is not a number. */
export const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);
export const orNaN = (value: number | null): number => value ?? Number.NaN;

/** Fields in one order, so that two pictures of a state are the same to the byte. */
export const conditionRows = ({ conditions }: SignalState): ConditionRow[] =>
  conditions.map((condition) => ({
    ruleId: condition.rule.rule.id,
    levels: condition.levels.map(({ phase, atMs, recordMs }) => [phase, atMs, recordMs]),
    alertId: condition.alertId,
    level: condition.level,
    firedAtMs: condition.firedAtMs,
    value: orNull(condition.value),
    limit: condition.limit,
    ...(condition.crossedUpper ? { crossedUpper: true } : {}),
    ...(condition.acknowledged === null ? {} : { acknowledged: condition.acknowledged }),
    told: condition.told,
    ...(condition.held === null ? {} : { held: condition.held }),
    ...(condition.silenceSeconds === null ? {} : { silenceSeconds: condition.silenceSeconds }),
    ...(condition.silencedBy.length === 0 ? {} : { silencedBy: [...condition.silencedBy] }),
  }));

/** Nothing for most signals. */
export const moreRow = ({ flaps, windows, heldFailure, rhythm }: SignalState): [] | [MoreRow] => {
  const isPlain = flaps.length === 0 && heldFailure === null && rhythm === null;
  if (isPlain && (windows === null || windows.size === 0)) return [];
  const row: MoreRow = {
    flaps: flaps.map(({ rule, changes, flapping, sinceMs, ended, heardFiring }) => ({
      ruleId: rule.rule.id,
      changes: [...changes],
      flapping,
      sinceMs,
      ended,
      heardFiring,
    })),
    windows: [...(windows ?? [])].map(([ruleId, window]) => [ruleId, ...window.row()]),
    ...(heldFailure === null ? {} : { heldFailure }),
    ...(rhythm === null ? {} : { rhythm: rhythm.row() }),
  };
  return [row];
};

const ruleOf = ({ rules }: SignalState, ruleId: string): CompiledRule => {
  const found = rules.find(({ rule }) => rule.id === ruleId);
  if (found === undefined) throw new SnapshotUnreadableError("a condition without its rule");
  return found;
};

/** What was told in the days of version 1 was told to all. */
const firstOf = (row: FirstConditionRow): ConditionRow => {
  const [ruleId, phase, atMs, recordMs, alertId, firedAtMs, value, limit] = row;
  const isFiring = phase !== "pending";
  const level = isFiring ? 0 : -1;
  return {
    ruleId,
    levels: [[phase, atMs, recordMs]],
    alertId,
    level,
    firedAtMs,
    value,
    limit,
    told: isFiring,
  };
};

export const conditionOf = (signal: SignalState, row: SignalRow[17][number]): RuleCondition => {
  const { ruleId, levels, value, crossedUpper, acknowledged, held, silenceSeconds, silencedBy, ...rest } =
    Array.isArray(row) ? firstOf(row) : row;
  return {
    ...rest,
    rule: ruleOf(signal, ruleId),
    levels: levels.map(([phase, atMs, recordMs]) => ({ phase, atMs, recordMs })),
    value: orNaN(value),
    crossedUpper: crossedUpper ?? false,
    acknowledged: acknowledged ?? null,
    held: held ?? null,
    silenceSeconds: silenceSeconds ?? null,
    silencedBy: silencedBy ?? [],
  };
};

export const restoreMore = (signal: SignalState, { flaps, windows, heldFailure, rhythm }: MoreRow): void => {
  signal.flaps = flaps.map(({ ruleId, ...rest }) => ({ ...rest, rule: ruleOf(signal, ruleId) }));
  if (windows.length > 0) {
    signal.windows = new Map(
      windows.map(([ruleId, step, movement, ends]) => [ruleId, new ChangeWindow([step, movement, ends])]),
    );
  }
  signal.heldFailure = heldFailure ?? null;
  signal.rhythm = rhythm === undefined ? null : new FeedRhythm(rhythm);
};
