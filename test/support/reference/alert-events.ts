import type { AlertTerms } from "../../../schemas/alert.ts";
import type { AlertState, Watch } from "./state.ts";
import { heldBy, type Step } from "./step.ts";
import { iso, type Marks, type ToldAlert } from "./told.ts";
import { shownValue } from "./values.ts";

export type Flapping = NonNullable<ToldAlert["flapping"]>;

export const limitOf = ({ limits }: Watch, { severity, end }: AlertState): number =>
  limits.find((level) => level.severity === severity)?.ends[end] ?? Number.NaN;

const HEARD_MAX = 10;

/** What decides who hears of the alert at present. */
const ownTerms = ({ signal }: Step, { rule }: Watch, { severity }: AlertState): AlertTerms => {
  const labels = Object.entries(signal.definition.labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return { severity, notify: rule.notify, labels: Object.fromEntries(labels) };
};
const isSame = (a: AlertTerms, b: AlertTerms): boolean => JSON.stringify(a) === JSON.stringify(b);

/** It is told to fire under these terms. */
const hear = (watch: Watch, terms: AlertTerms): void => {
  if (watch.heard.some((one) => isSame(one, terms))) return;
  watch.heard.push(terms);
  if (watch.heard.length > HEARD_MAX) watch.heard.shift();
};

/** The alert as events show it now; one that has resolved, as it was then. */
export const shownAlert = (
  step: Step,
  watch: Watch,
  alert: AlertState,
  more: Partial<ToldAlert> = {},
): ToldAlert => {
  const { rule } = watch;
  const { resolved } = alert;
  const own = ownTerms(step, watch, alert);
  const others = watch.heard.filter((terms) => !isSame(terms, own));
  return {
    nth: alert.nth,
    ruleId: rule.id,
    ruleName: rule.name,
    severity: alert.severity,
    state: resolved === null ? "firing" : "resolved",
    firedAt: iso(alert.firedAtMs),
    resolvedAt: resolved === null ? null : iso(resolved.atMs),
    value: resolved === null ? shownValue(watch, step.signal) : resolved.value,
    limit: resolved === null ? limitOf(watch, alert) : resolved.limit,
    resolveReason: resolved?.reason,
    acknowledged: alert.acknowledged,
    notify: rule.notify ?? undefined,
    toldAs: others.length === 0 ? undefined : others,
    ...more,
  };
};

export const silencedBy = ({ silences, signal, recordMs }: Step, { rule }: Watch, alert: AlertState) =>
  silences.ofAlert(signal, rule.id, alert, recordMs);

export const tellFiring = (
  step: Step,
  watch: Watch,
  alert: AlertState,
  marks: Marks,
  more: Partial<ToldAlert>,
): void => {
  const sequence = step.tell("alert.firing", { alert: shownAlert(step, watch, alert, more), ...marks });
  alert.newest = { sequence, heldBy: heldBy(marks) };
  if (alert.newest.heldBy === null) hear(watch, ownTerms(step, watch, alert));
};

export const tellResolved = (
  step: Step,
  watch: Watch,
  alert: AlertState,
  marks: Marks,
  more: Partial<ToldAlert>,
): void => {
  step.tell("alert.resolved", { alert: shownAlert(step, watch, alert, more), ...marks });
  if (heldBy(marks) === null) watch.heard = [];
};

/** What holds a firing back now; the event that says that flapping has begun is still told. */
export const holdOfFiring = (step: Step, watch: Watch, alert: AlertState, began?: Flapping): Marks => ({
  silencedBy: silencedBy(step, watch, alert),
  heldBy: watch.flapping !== null && began === undefined ? "flapping" : undefined,
});

/** Whoever heard that it fires hears the end, but for what a flapping rule does; nobody else does. */
export const holdOfWhatFollows = (step: Step, watch: Watch, alert: AlertState, began?: Flapping): Marks => {
  const now = holdOfFiring(step, watch, alert, began);
  if (watch.heard.length > 0) return { heldBy: now.heldBy };
  return heldBy(now) ?? alert.newest?.heldBy ?? {};
};

/** The firing that was held back, if the newest one was. */
export const heldSequence = ({ newest }: AlertState): number | undefined =>
  newest === null || newest.heldBy === null ? undefined : newest.sequence;
