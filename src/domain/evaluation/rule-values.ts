import { shownQuality } from "../quality.ts";
import { ChangeWindow } from "./change-window.ts";
import type { PartitionClocks } from "./clocks.ts";
import type { CompiledLevel, CompiledRule } from "./compiled-rule.ts";
import type { SignalState } from "./signal-state.ts";
import { sourceMs } from "./source-flows.ts";

/** The limit that a value crossed, as the rule or the signal's label wrote it. */
export const crossedLimit = ({ value, upper, limits }: CompiledLevel, compared: number): number =>
  compared > limits.fireHigh ? upper : value;

/** The newest value that the rule looks at, unrounded: dBm, quality, dB of a change, or seconds of silence. */
export const newestValue = (signal: SignalState, rule: CompiledRule, clocks: PartitionClocks): number => {
  const { strength, definition } = signal;
  if (rule.silenceMs !== null) return (sourceMs(clocks, signal.flow) - signal.lastDataMs) / 1000;
  if (rule.changeStepMs !== null) return signal.windows?.get(rule.rule.id)?.movement ?? 0;
  return rule.onQuality ? shownQuality(strength, definition.floorDbm, definition.ceilingDbm) : strength;
};

/** What is compared with a rule's limits of a reading that has just come: both values are Float32. */
export const comparedValue = (
  signal: SignalState,
  rule: CompiledRule,
  strength: number,
  quality: number,
): number => {
  const value = rule.onQuality ? quality : strength;
  if (rule.changeStepMs === null) return value;
  signal.windows ??= new Map();
  const { id, condition } = rule.rule;
  let window = signal.windows.get(id);
  if (window === undefined) {
    window = new ChangeWindow();
    signal.windows.set(id, window);
  }
  return window.move(Math.floor(signal.newestAtMs / rule.changeStepMs), value, condition.direction);
};
