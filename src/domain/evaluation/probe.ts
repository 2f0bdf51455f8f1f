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
import { clears, fires, thresholdClears, thresholdClearsAt, thresholdFires } from "./limits.ts";
import type { PartitionState } from "./partition-state.ts";
import type { CompiledRule } from "./rule-book.ts";
import { NEVER, type SignalState } from "./signal-state.ts";

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
  const signal = found?.definition.accountId === probe.accountId ? found : null;
  const settings = signal?.definition ?? DEFAULTS;
  const quality = qualityOf(probe.strength, settings.floorDbm, settings.ceilingDbm);
  const unknown = { id: probe.signalId, labels: {}, sourceId: null };
  const rules = signal?.rules ?? state.rules.matching(probe.accountId, unknown);
  const conditions = [
    thresholdVerdict(settings, signal, probe.strength, quality),
    ...rules.map((rule) => ruleVerdict(rule, signal, probe.strength, quality)),
    noDataVerdict(settings),
  ];
  const failed = conditions.some(({ outcome }) => outcome === "fails");
  const status = signal?.definition.paused ? "paused" : failed ? "failed" : "active";
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
  const holds = signal !== null && signal.thresholdSinceMs !== NEVER;
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
  compiled: CompiledRule,
  signal: SignalState | null,
  strength: number,
  quality: number,
): Verdict => {
  const { rule, limits, onQuality, forMs, keepFiringForMs } = compiled;
  const compared = Math.fround(onQuality ? quality : strength);
  const condition = signal?.conditions.find((candidate) => candidate.rule === compiled);
  const firing = condition !== undefined && condition.phase !== "pending";
  const bad = firing ? !clears(limits, compared) : fires(limits, compared);
  const waits = (firing ? keepFiringForMs : forMs) > 0;
  const still = firing && !bad && waits;
  const outcome = bad && !firing && waits ? "pending" : bad || still ? holding(compiled) : "ok";
  return {
    kind: "rule",
    ruleId: rule.id,
    ruleName: rule.name,
    outcome,
    limit: rule.condition.value,
    explanation: [
      `${onQuality ? `quality ${shown(quality)}` : `${shown(strength)} dBm`}; ${limitText(compiled, firing)}`,
      ...(outcome === "pending" ? [`after ${rule.forSeconds} s`] : []),
      ...(still ? [`after ${rule.keepFiringForSeconds} s`] : []),
    ].join(" "),
  };
};

const holding = ({ rule }: CompiledRule): "fails" | "fires" => (rule.failsSignal ? "fails" : "fires");

const limitText = ({ rule, limits, onQuality }: CompiledRule, firing: boolean): string => {
  const { operator, value, upper = value } = rule.condition;
  const unit = onQuality ? "" : " dBm";
  const low = `${shown(firing ? limits.clearLow : value)}${unit}`;
  const high = `${shown(firing ? limits.clearHigh : operator === "above" ? value : upper)}${unit}`;
  if (operator === "below") return firing ? `clears at ${low}` : `fires below ${low}`;
  if (operator === "above") return firing ? `clears at ${high}` : `fires above ${high}`;
  return firing ? `clears from ${low} to ${high}` : `fires below ${low} or above ${high}`;
};

const noDataVerdict = ({ noDataAfterSeconds }: Settings): Verdict => ({
  kind: "noData",
  outcome: "ok",
  limit: noDataAfterSeconds,
  explanation:
    noDataAfterSeconds === null
      ? "silence does not matter"
      : `a reading has come; fails after ${noDataAfterSeconds} s without one`,
});
