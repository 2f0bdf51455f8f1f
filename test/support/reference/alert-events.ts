import type { AlertState, Watch } from "./state.ts";
import { heldBy, type Step } from "./step.ts";
import { iso, type Marks, type ToldAlert } from "./told.ts";
import { shownValue } from "./values.ts";

export type Flapping = NonNullable<ToldAlert["flapping"]>;

export const limitOf = ({ limits }: Watch, { severity, end }: AlertState): number =>
  limits.find((level) => level.severity === severity)?.ends[end] ?? Number.NaN;

/** The alert as events show it now; one that has resolved, as it was then. */
export const shownAlert = (
  step: Step,
  watch: Watch,
  alert: AlertState,
  more: Partial<ToldAlert> = {},
): ToldAlert => {
  const { rule } = watch;
  const { resolved } = alert;
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
  if (alert.newest.heldBy === null) watch.isHeardToFire = true;
};

export const tellResolved = (
  step: Step,
  watch: Watch,
  alert: AlertState,
  marks: Marks,
  more: Partial<ToldAlert>,
): void => {
  step.tell("alert.resolved", { alert: shownAlert(step, watch, alert, more), ...marks });
  if (heldBy(marks) === null) watch.isHeardToFire = false;
};

/** What holds a firing back now; the event that says that flapping has begun is still told. */
export const holdOfFiring = (step: Step, watch: Watch, alert: AlertState, began?: Flapping): Marks => ({
  silencedBy: silencedBy(step, watch, alert),
  heldBy: watch.flapping !== null && began === undefined ? "flapping" : undefined,
});

/** Whoever heard that it fires hears the end, but for what a flapping rule does; nobody else does. */
export const holdOfWhatFollows = (step: Step, watch: Watch, alert: AlertState, began?: Flapping): Marks => {
  const now = holdOfFiring(step, watch, alert, began);
  if (watch.isHeardToFire) return { heldBy: now.heldBy };
  return heldBy(now) ?? alert.newest?.heldBy ?? {};
};

/** The firing that was held back, if the newest one was. */
export const heldSequence = ({ newest }: AlertState): number | undefined =>
  newest === null || newest.heldBy === null ? undefined : newest.sequence;
