import { type AlertData, type AlertTerms, TOLD_TERMS_MAX } from "../../../schemas/alert.ts";
import type { Severity } from "../../../schemas/condition.ts";
import type { CompiledRule } from "./compiled-rule.ts";
import { sameJson } from "./same.ts";
import type { SignalState } from "./signal-state.ts";

/** Those under which an alert of such a severity is told now. */
export const termsOf = (
  { labels }: SignalState,
  { rule: { notify } }: CompiledRule,
  severity: Severity,
): AlertTerms => ({ severity, notify, labels });

/** All under which it was told, each once, the newest of them last. */
export const withTerms = (told: readonly AlertTerms[], now: AlertTerms): readonly AlertTerms[] =>
  told.some((terms) => sameJson(terms, now)) ? told : [...told, now].slice(-TOLD_TERMS_MAX);

/** What an event tells of them: only those who might not hear it by the terms that it has itself. */
export const toldAs = (told: readonly AlertTerms[], now: AlertTerms): Pick<AlertData, "toldAs"> => {
  const others = told.filter((terms) => !sameJson(terms, now));
  return others.length === 0 ? {} : { toldAs: others };
};

/** For a snapshot: one that was told under its present terms only says no more than that. */
export const toldRow = (
  told: readonly AlertTerms[],
  now: AlertTerms,
): { told: boolean; toldAs?: AlertTerms[] } => {
  const isUsual = told.length === 0 || (told.length === 1 && told.every((terms) => sameJson(terms, now)));
  return { told: told.length > 0, ...(isUsual ? {} : { toldAs: [...told] }) };
};
export const toldOf = (
  { told, toldAs: terms }: { told: boolean; toldAs?: readonly AlertTerms[] | undefined },
  now: AlertTerms,
): readonly AlertTerms[] => terms ?? (told ? [now] : []);
