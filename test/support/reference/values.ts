import type { SignalDefinition } from "../../../schemas/change.ts";
import type { Reason, Signal } from "../../../schemas/signal.ts";
import { byId, type SignalState, type Watch } from "./state.ts";
import { iso } from "./told.ts";

type Scale = Pick<SignalDefinition, "floorDbm" | "ceilingDbm">;

const rounded = (value: number, decimals: number): number =>
  Math.round(value * 10 ** decimals) / 10 ** decimals + 0;
const shownDbm = (dbm: number): number => rounded(dbm, 4);
const shownQuality = (quality: number): number => rounded(quality, 6);

/** Of a strength as it is stored. */
export const qualityOf = (strength: number, { floorDbm, ceilingDbm }: Scale): number =>
  Math.min(1, Math.max(0, (Math.fround(strength) - floorDbm) / (ceilingDbm - floorDbm)));

/** What a rule compares of a strength. */
export const comparedValue = ({ rule }: Watch, { definition }: SignalState, strength: number): number =>
  rule.condition.metric === "quality" ? qualityOf(strength, definition) : strength;

/** The newest value of what the rule looks at, as an alert shows it. */
export const shownValue = (watch: Watch, signal: SignalState): number | null => {
  const { metric, operator } = watch.rule.condition;
  if (operator === "noData") return watch.alert?.silenceSeconds ?? signal.silenceMs / 1000;
  if (signal.newest === null) return null;
  const value = operator === "change" ? watch.movement : comparedValue(watch, signal, signal.newest.strength);
  return metric === "quality" ? shownQuality(value) : shownDbm(value);
};

/** Why the signal is failed: its threshold, rules in their order, no data. */
export const reasonsOf = (signal: SignalState): Reason[] => [
  ...(signal.tooWeak === null ? [] : [signal.tooWeak]),
  ...byId(signal.watches).flatMap(({ rule, alert }): Reason[] =>
    alert === null || !rule.failsSignal
      ? []
      : [{ kind: "rule", ruleId: rule.id, since: iso(alert.firedAtMs), value: alert.reasonValue }],
  ),
  ...(signal.silent === null ? [] : [signal.silent]),
];

/** An event lists so many conditions at most. */
const REASONS_SHOWN = 20;

/** As an event shows them: too many rules are cut short at their end, the signal's own conditions never. */
export const shownReasons = (signal: SignalState): Pick<Signal, "reasons" | "reasonsTotal"> => {
  const all = reasonsOf(signal);
  const tooMany = Math.max(0, all.length - REASONS_SHOWN);
  const lastRule = all.findLastIndex(({ kind }) => kind === "rule") + 1;
  return {
    reasons: all.toSpliced(lastRule - tooMany, tooMany),
    reasonsTotal: tooMany === 0 ? undefined : all.length,
  };
};

export const statusOf = (signal: SignalState): Signal["status"] => {
  if (signal.definition.paused) return "paused";
  return reasonsOf(signal).length > 0 ? "failed" : "active";
};

/** The signal as the API shows it. */
export const shownSignal = (signal: SignalState): Signal => {
  const { accountId, revision, paused, createdAt, updatedAt, ...settings } = signal.definition;
  const { newest } = signal;
  return {
    ...settings,
    status: statusOf(signal),
    strength: newest && shownDbm(newest.strength),
    quality: newest && shownQuality(qualityOf(newest.strength, signal.definition)),
    lastReadingAt: newest && iso(newest.at),
    ...shownReasons(signal),
    sequence: signal.sequence,
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
  };
};

/** The signal's own threshold fails it below, and is over from `clears` on. */
export const thresholdVerdict = ({
  definition,
  newest,
}: SignalState): { fires: boolean; clears: boolean } => {
  const quality = Math.fround(qualityOf(newest?.strength ?? 0, definition));
  const clear = Math.min(1, definition.threshold + definition.hysteresis);
  return { fires: quality < Math.fround(definition.threshold), clears: quality >= Math.fround(clear) };
};

export const tooWeakSince = (signal: SignalState, recordMs: number): Reason => ({
  kind: "threshold",
  since: iso(recordMs),
  value: shownQuality(qualityOf(signal.newest?.strength ?? 0, signal.definition)),
});
