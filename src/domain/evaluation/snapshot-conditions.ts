import type { AlertTerms } from "../../../schemas/alert.ts";
import { ChangeWindow } from "./change-window.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import { FeedRhythm } from "./feed-rhythm.ts";
import type { EndedAlert, OwnCondition, RuleCondition, RuleFlaps } from "./ongoing.ts";
import { severityOf } from "./rule-levels.ts";
import { NEVER, type SignalState } from "./signal-state.ts";
import {
  type ConditionRow,
  type FirstConditionRow,
  type FlapsRow,
  type MoreRow,
  type SignalRow,
  SnapshotUnreadableError,
} from "./snapshot-rows.ts";
import { termsOf, toldOf, toldRow } from "./told-terms.ts";

/** JSON has no word for what is not a number. */
export const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);
export const orNaN = (value: number | null): number => value ?? Number.NaN;

export const ownRow = (own: OwnCondition | null): [sinceMs: number, value: number | null] =>
  own === null ? [NEVER, null] : [own.sinceMs, orNull(own.value)];
export const ownOf = (sinceMs: number, value: number | null): OwnCondition | null =>
  sinceMs === NEVER ? null : { sinceMs, value: orNaN(value) };

/** Fields in one order, so that two pictures of a state are the same to the byte. */
export const conditionRows = (signal: SignalState): ConditionRow[] =>
  signal.conditions.map((condition) => ({
    ruleId: condition.rule.rule.id,
    levels: condition.levels.map(({ phase, atMs, recordMs }) => [phase, atMs, recordMs]),
    alertId: condition.alertId,
    level: condition.level,
    firedAtMs: condition.firedAtMs,
    value: orNull(condition.value),
    limit: condition.limit,
    ...(condition.crossedUpper ? { crossedUpper: true } : {}),
    ...(condition.acknowledged === null ? {} : { acknowledged: condition.acknowledged }),
    ...toldRow(condition.told, termsOf(signal, condition.rule, severityOf(condition))),
    ...(condition.held === null ? {} : { held: condition.held }),
    ...(condition.silenceSeconds === null ? {} : { silenceSeconds: condition.silenceSeconds }),
    ...(condition.silencedBy.length === 0 ? {} : { silencedBy: [...condition.silencedBy] }),
  }));

const flapsRow = (
  signal: SignalState,
  { rule, changes, flapping, sinceMs, ended, told }: RuleFlaps,
): FlapsRow => {
  const { told: heardFiring, ...more } = toldRow(told, endedTerms(signal, rule, ended));
  return { ruleId: rule.rule.id, changes: [...changes], flapping, sinceMs, ended, heardFiring, ...more };
};

/** Under which terms what ended last would have been told. */
const endedTerms = (signal: SignalState, rule: CompiledRule, ended: EndedAlert | null): AlertTerms =>
  termsOf(signal, rule, ended?.severity ?? rule.levels[0].severity);

/** Nothing for most signals. */
export const moreRow = (signal: SignalState): [] | [MoreRow] => {
  const { flaps, windows, heldFailure, rhythm } = signal;
  const isPlain = flaps.length === 0 && heldFailure === null && rhythm === null;
  if (isPlain && (windows === null || windows.size === 0)) return [];
  const row: MoreRow = {
    flaps: flaps.map((one) => flapsRow(signal, one)),
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
  const { ruleId, levels, value, crossedUpper, acknowledged, held, silenceSeconds, silencedBy, ...others } =
    Array.isArray(row) ? firstOf(row) : row;
  const { toldAs, ...rest } = others;
  const rule = ruleOf(signal, ruleId);
  return {
    ...rest,
    rule,
    told: toldOf(others, termsOf(signal, rule, severityOf({ rule, level: rest.level }))),
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
  const restoredFlaps = flaps.map(({ ruleId, heardFiring, toldAs, ...rest }) => {
    const rule = ruleOf(signal, ruleId);
    const told = toldOf({ told: heardFiring, toldAs }, endedTerms(signal, rule, rest.ended));
    return { ...rest, rule, told };
  });
  const restoredWindows = windows.map(
    ([ruleId, step, movement, ends]) => [ruleId, new ChangeWindow([step, movement, ends])] as const,
  );
  signal.change({
    flaps: restoredFlaps,
    windows: restoredWindows.length === 0 ? null : new Map(restoredWindows),
    heldFailure: heldFailure ?? null,
    rhythm: rhythm === undefined ? null : new FeedRhythm(rhythm),
  });
};
