import type { CompiledRule } from "./compiled-rule.ts";
import type { EndedAlert, FlapChange, RuleFlaps } from "./ongoing.ts";
import type { SignalState } from "./signal-state.ts";

/** More changes than six within so long are too many. */
export const FLAP_SPAN_MS = 600_000;
export const FLAP_CHANGES = 7;

const inRuleOrder = (a: RuleFlaps, b: RuleFlaps): number => (a.rule.rule.id < b.rule.rule.id ? -1 : 1);

export const flapsOf = (signal: SignalState, rule: CompiledRule): RuleFlaps | null =>
  signal.flaps.find((flaps) => flaps.rule.key === rule.key) ?? null;

export const isFlapping = (signal: SignalState, rule: CompiledRule): boolean =>
  (flapsOf(signal, rule)?.flapping ?? 0) > 0;

const tooMany = (changes: readonly FlapChange[]): boolean => {
  const [first, last] = [changes[0], changes.at(-1)];
  if (changes.length < FLAP_CHANGES || first === undefined || last === undefined) return false;
  return last.atMs - first.atMs <= FLAP_SPAN_MS && last.recordMs - first.recordMs <= FLAP_SPAN_MS;
};

/** A change of a rule on a signal: an alert has begun, stepped, or ended as `ended`. */
export interface CountedChange {
  readonly change: FlapChange;
  readonly ended: EndedAlert | null;
  readonly told: RuleFlaps["told"];
}

/** True: with this change it begins to flap. */
export const countFlap = (
  signal: SignalState,
  rule: CompiledRule,
  { change, ended, told }: CountedChange,
): boolean => {
  if (!rule.rule.flapDetection) return false;
  const before = flapsOf(signal, rule);
  const changes = [...(before?.changes ?? []), change].slice(-FLAP_CHANGES);
  const was = before?.flapping ?? 0;
  const begins = was === 0 && tooMany(changes);
  const flapping = begins ? changes.length : was === 0 ? 0 : was + 1;
  const sinceMs = begins ? (changes[0]?.recordMs ?? change.recordMs) : (before?.sinceMs ?? 0);
  const next = { rule, changes, flapping, sinceMs, ended: ended ?? before?.ended ?? null, told };
  signal.change({ flaps: [...signal.flaps.filter((other) => other !== before), next].sort(inRuleOrder) });
  return begins;
};

/** When its last change is far enough away, by append time. */
export const calmMs = ({ changes }: RuleFlaps): number =>
  (changes.at(-1)?.recordMs ?? Number.NEGATIVE_INFINITY) + FLAP_SPAN_MS;

/** Whether it is calm by either clock; `atMs` is the time of a reading, if there is one. */
export const isCalm = (flaps: RuleFlaps, recordMs: number, atMs: number | null): boolean =>
  calmMs(flaps) <= recordMs || (atMs !== null && atMs - (flaps.changes.at(-1)?.atMs ?? atMs) >= FLAP_SPAN_MS);
