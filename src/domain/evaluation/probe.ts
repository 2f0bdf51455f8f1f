import type { Probe } from "../../../schemas/change.ts";
import {
  type ConditionVerdict,
  DEFAULT_CEILING_DBM,
  DEFAULT_CREATED_THRESHOLD,
  DEFAULT_FLOOR_DBM,
  DEFAULT_NO_DATA_AFTER_SECONDS,
  DEFAULT_THRESHOLD_HYSTERESIS,
  type Signal,
} from "../../../schemas/signal.ts";
import { qualityOf, shownQuality } from "../quality.ts";
import type { ProbeAnswer } from "../records.ts";
import type { CompiledLevel, CompiledRule } from "./compiled-rule.ts";
import { clears, fires, type Limits, thresholdClears, thresholdClearsAt, thresholdFires } from "./limits.ts";
import { tooLongMs } from "./no-data.ts";
import type { LevelState } from "./ongoing.ts";
import type { PartitionState } from "./partition-state.ts";
import { isFiring } from "./rule-levels.ts";
import type { SignalState } from "./signal-state.ts";

type Verdict = ReturnType<typeof ConditionVerdict.parse>;
type Settings = Pick<Signal, "threshold" | "floorDbm" | "ceilingDbm" | "hysteresis" | "noDataAfterSeconds">;

const DEFAULTS: Settings = {
  threshold: DEFAULT_CREATED_THRESHOLD,
  floorDbm: DEFAULT_FLOOR_DBM,
  ceilingDbm: DEFAULT_CEILING_DBM,
  hysteresis: DEFAULT_THRESHOLD_HYSTERESIS,
  noDataAfterSeconds: DEFAULT_NO_DATA_AFTER_SECONDS,
};

/** At most four decimals, with the sign that belongs in a sentence. */
const shown = (value: number): string => String(Number(value.toFixed(4))).replace("-", "−");

/**
 * What a strength would do to a signal of the account, or to one with the API's defaults where the id is unknown.
 * Changes nothing.
 */
export const answerProbe = (state: PartitionState, probe: Probe): ProbeAnswer => {
  const found = probe.signalId.length === 30 ? state.signals.get(probe.signalId) : null;
  const signal = found?.accountId === probe.accountId ? found : null;
  const settings = signal?.settings ?? DEFAULTS;
  const quality = qualityOf(probe.strength, settings.floorDbm, settings.ceilingDbm);
  const unknown = { id: probe.signalId, labels: {}, sourceId: null };
  const rules = signal?.rules ?? state.rules.matching(probe.accountId, unknown);
  const conditions = [
    thresholdVerdict(settings, signal, probe.strength, quality),
    ...rules.map((rule) => ruleVerdict(rule, signal, probe.strength, quality)),
    noDataVerdict(settings, signal),
  ];
  const failed = conditions.some(({ outcome }) => outcome === "fails");
  const status = signal?.settings.paused ? "paused" : failed ? "failed" : "active";
  return {
    quality: shownQuality(probe.strength, settings.floorDbm, settings.ceilingDbm),
    verdict: { known: signal !== null, status, conditions },
  };
};

const thresholdVerdict = (
  { threshold, hysteresis }: Settings,
  signal: SignalState | null,
  strength: number,
  quality: number,
): Verdict => {
  const compared = Math.fround(quality);
  const holds = signal !== null && signal.belowThreshold !== null;
  const fails = holds
    ? !thresholdClears(threshold, hysteresis, compared)
    : thresholdFires(threshold, compared);
  const limit = holds
    ? `recovers at ${shown(thresholdClearsAt(threshold, hysteresis))}`
    : `fails below ${shown(threshold)}`;
  const explanation = `${shown(strength)} dBm is quality ${shown(quality)}; ${limit}`;
  return { kind: "threshold", outcome: fails ? "fails" : "ok", limit: threshold, explanation };
};

const ruleVerdict = (
  rule: CompiledRule,
  signal: SignalState | null,
  strength: number,
  quality: number,
): Verdict => {
  const condition = signal?.conditions.find((candidate) => candidate.rule.key === rule.key);
  const value = probedValue(rule, signal, strength, quality);
  const outcomes = rule.levels.map((level, at) =>
    value === null
      ? stillFiring(rule, condition?.levels[at])
      : outcomeOf(rule, level.limits, condition?.levels[at], value),
  );
  const at = Math.max(
    0,
    outcomes.findLastIndex((outcome) => outcome !== "ok"),
  );
  const outcome = outcomes[at] ?? "ok";
  const level = rule.levels[at] ?? rule.levels[0];
  const state = condition?.levels[at];
  return {
    kind: "rule",
    ruleId: rule.rule.id,
    ruleName: rule.rule.name,
    outcome,
    limit: level.value,
    explanation: [explained(rule, level, state, value), ...waitText(rule, state, outcome, level, value)].join(
      " ",
    ),
  };
};

/** What the rule compares of a strength; null: that a reading comes is all it asks. */
const probedValue = (
  rule: CompiledRule,
  signal: SignalState | null,
  strength: number,
  quality: number,
): number | null => {
  if (rule.silenceMs !== null) return null;
  const value = Math.fround(rule.onQuality ? quality : strength);
  if (rule.changeStepMs === null) return value;
  const { id, condition } = rule.rule;
  return signal?.windows?.get(id)?.wouldMove(value, condition.direction) ?? 0;
};

const holding = ({ rule }: CompiledRule): "fails" | "fires" => (rule.failsSignal ? "fails" : "fires");

const outcomeOf = (
  rule: CompiledRule,
  limits: Limits,
  level: LevelState | undefined,
  value: number,
): Verdict["outcome"] => {
  const firing = level !== undefined && isFiring(level);
  const bad = firing ? !clears(limits, value) : fires(limits, value);
  if (bad) return firing || rule.forMs === 0 ? holding(rule) : "pending";
  return firing && rule.keepFiringForMs > 0 ? holding(rule) : "ok";
};

const stillFiring = (rule: CompiledRule, level: LevelState | undefined): Verdict["outcome"] =>
  level !== undefined && isFiring(level) && rule.keepFiringForMs > 0 ? holding(rule) : "ok";

const waitText = (
  { rule, onQuality: _, forMs: __, keepFiringForMs, ...rest }: CompiledRule,
  level: LevelState | undefined,
  outcome: Verdict["outcome"],
  { limits }: CompiledLevel,
  value: number | null,
): string[] => {
  if (outcome === "pending") return [`after ${rule.forSeconds} s`];
  const isClearing = level !== undefined && isFiring(level) && (value === null || clears(limits, value));
  const closed = rest.schedule === null ? [] : ["while its schedule is open"];
  return isClearing && keepFiringForMs > 0 ? [`after ${rule.keepFiringForSeconds} s`] : closed;
};

const explained = (
  rule: CompiledRule,
  level: CompiledLevel,
  state: LevelState | undefined,
  value: number | null,
): string => {
  if (value === null) return `a reading has come; fires after ${level.value} s without one`;
  const what = rule.onQuality
    ? `quality ${shown(value)}`
    : `${shown(value)} ${rule.changeStepMs === null ? "dBm" : "dB"}`;
  const words = limitText(rule, level, state !== undefined && isFiring(state));
  if (rule.changeStepMs === null) return `${what}; ${words}`;
  return `moved by ${what} within ${rule.rule.condition.overSeconds} s; ${words}`;
};

const limitText = (
  { rule, onQuality, changeStepMs }: CompiledRule,
  { value, upper, limits }: CompiledLevel,
  firing: boolean,
): string => {
  const { operator } = rule.condition;
  const unit = onQuality ? "" : changeStepMs === null ? " dBm" : " dB";
  const low = `${shown(firing ? limits.clearLow : value)}${unit}`;
  const high = `${shown(firing ? limits.clearHigh : upper)}${unit}`;
  if (operator === "below") return firing ? `clears at ${low}` : `fires below ${low}`;
  if (operator === "above" || operator === "change")
    return firing ? `clears at ${high}` : `fires above ${high}`;
  return firing ? `clears from ${low} to ${high}` : `fires below ${low} or above ${high}`;
};

const noDataVerdict = ({ noDataAfterSeconds }: Settings, signal: SignalState | null): Verdict => {
  const isLearned = noDataAfterSeconds === "auto" && signal?.rhythm != null;
  const afterMs = signal === null ? null : tooLongMs(signal);
  const own = noDataAfterSeconds === "auto" ? DEFAULT_NO_DATA_AFTER_SECONDS : noDataAfterSeconds;
  const limit = afterMs === null ? own : afterMs / 1000;
  const learned = isLearned ? ", learned from its rhythm" : "";
  return {
    kind: "noData",
    outcome: "ok",
    limit,
    explanation:
      limit === null
        ? "silence does not matter"
        : `a reading has come; fails after ${shown(limit)} s without one${learned}`,
  };
};
