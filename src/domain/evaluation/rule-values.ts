import type { RuleId } from "../../../schemas/common.ts";
import { shownDbm, shownQuality } from "../quality.ts";
import { ChangeWindow } from "./change-window.ts";
import type { PartitionClocks } from "./clocks.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import type { RuleCondition } from "./ongoing.ts";
import type { SignalState } from "./signal-state.ts";
import { sourceMs } from "./source-flows.ts";

/**
 * The newest value that a rule looks at, unrounded: dBm, quality, or dB of a change; seconds of silence, which once it is
 * over stay what they were.
 */
export const newestValue = (
  signal: SignalState,
  { rule, silenceSeconds }: Pick<RuleCondition, "rule" | "silenceSeconds">,
  clocks: PartitionClocks,
): number => {
  const { strength, settings } = signal;
  if (rule.silenceMs !== null) return silenceSeconds ?? secondsOfSilence(signal, clocks);
  if (rule.changeStepMs !== null) {
    const movement = signal.windows?.get(rule.rule.id)?.movement ?? 0;
    return rule.onQuality ? Math.round(movement * 1e6) / 1e6 : shownDbm(movement);
  }
  return rule.onQuality ? shownQuality(strength, settings.floorDbm, settings.ceilingDbm) : strength;
};

export const secondsOfSilence = (signal: SignalState, clocks: PartitionClocks): number =>
  (sourceMs(clocks, signal.flow) - signal.lastDataMs) / 1000;

/** What is compared with a rule's limits of a reading that has just come: both values are Float32. */
export const comparedValue = (
  signal: SignalState,
  rule: CompiledRule,
  strength: number,
  quality: number,
): number => {
  const value = rule.onQuality ? quality : strength;
  if (rule.changeStepMs === null) return value;
  const windows = signal.windows ?? new Map<RuleId, ChangeWindow>();
  if (signal.windows === null) signal.change({ windows });
  const { id, condition } = rule.rule;
  let window = windows.get(id);
  if (window === undefined) {
    window = new ChangeWindow();
    windows.set(id, window);
  }
  return window.move(Math.floor(signal.newestAtMs / rule.changeStepMs), value, condition.direction);
};
