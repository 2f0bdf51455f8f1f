import type { ResolveReason } from "../../../schemas/alert.ts";
import type { Severity } from "../../../schemas/condition.ts";
import {
  heldSequence,
  holdOfFiring,
  holdOfWhatFollows,
  limitOf,
  shownAlert,
  tellFiring,
  tellResolved,
} from "./alert-events.ts";
import { forgetFlapping, noteChange } from "./flapping.ts";
import { holdsAlert, IDLE } from "./machine.ts";
import type { AlertState, Watch } from "./state.ts";
import { heldBy, type Step } from "./step.ts";
import type { ToldAlert } from "./told.ts";
import { comparedValue, shownValue } from "./values.ts";

const begin = (step: Step, watch: Watch, severity: Severity): void => {
  const { signal, recordMs } = step;
  // What flaps is one alert, however often it fires again.
  const again = watch.flapping === null ? null : watch.last;
  const nth = again?.nth ?? (signal.begun.get(watch.rule.id) ?? 0) + 1;
  signal.begun.set(watch.rule.id, nth);
  const alert: AlertState = {
    nth,
    firedAtMs: recordMs,
    reasonValue: shownValue(watch, signal),
    severity,
    end: endCrossed(step, watch, severity),
    acknowledged: again?.acknowledged,
    newest: null,
    silenceSeconds: null,
    resolved: null,
  };
  watch.alert = alert;
  const flapping = noteChange(step, watch);
  tellFiring(step, watch, alert, holdOfFiring(step, watch, alert, flapping), { flapping });
};

const endCrossed = ({ signal }: Step, watch: Watch, severity: Severity): number => {
  const level = watch.limits.find((one) => one.severity === severity);
  if (level === undefined || signal.newest === null) return 0;
  return level.crossedBy(comparedValue(watch, signal, signal.newest.strength));
};

const changeSeverity = (step: Step, watch: Watch, alert: AlertState, severity: Severity): void => {
  const previousSeverity = alert.severity;
  alert.severity = severity;
  alert.reasonValue = shownValue(watch, step.signal);
  const flapping = noteChange(step, watch);
  tellFiring(step, watch, alert, holdOfFiring(step, watch, alert, flapping), { previousSeverity, flapping });
};

const resolve = (
  step: Step,
  watch: Watch,
  alert: AlertState,
  reason: ResolveReason,
  note: typeof noteChange,
): void => {
  const flapping = note(step, watch);
  const marks = holdOfWhatFollows(step, watch, alert, flapping);
  const [value, limit] = [shownValue(watch, step.signal), limitOf(watch, alert)];
  alert.resolved = { atMs: step.recordMs, reason, value, limit };
  watch.alert = null;
  watch.last = alert;
  tellResolved(step, watch, alert, marks, { flapping });
};

/** Follows the levels: the alert begins, steps up or down, or is over. */
export const followLevels = (step: Step, watch: Watch, reason: ResolveReason = "recovered"): void => {
  const { alert } = watch;
  const severity = watch.limits.filter((_, i) => holdsAlert(watch.machines[i] ?? IDLE)).at(-1)?.severity;
  if (severity === undefined && alert !== null) resolve(step, watch, alert, reason, noteChange);
  else if (severity !== undefined && alert === null) begin(step, watch, severity);
  else if (severity !== undefined && alert !== null && severity !== alert.severity)
    changeSeverity(step, watch, alert, severity);
};

/** The rule leaves the signal. Its last resolution is no flapping; of what flapped, the end is told. */
export const leave = (step: Step, watch: Watch, reason: ResolveReason): void => {
  if (watch.alert !== null) {
    const counted = watch.flapping === null ? () => undefined : noteChange;
    resolve(step, watch, watch.alert, reason, counted);
  }
  forgetFlapping(step, watch);
  step.signal.watches.delete(watch.rule.id);
};

/** Tells a firing that was held back, once nothing holds it any more. */
export const tellUnheld = (step: Step, watch: Watch): void => {
  const { alert } = watch;
  if (alert === null || heldSequence(alert) === undefined) return;
  if (heldBy(holdOfFiring(step, watch, alert)) === null)
    tellFiring(step, watch, alert, {}, { repeatOf: heldSequence(alert) });
};

/** The first one counts. */
export const acknowledge = (step: Step, watch: Watch, by: NonNullable<ToldAlert["acknowledged"]>): void => {
  const { alert } = watch;
  if (alert === null || alert.acknowledged !== undefined) return;
  alert.acknowledged = by;
  step.tell("alert.acknowledged", {
    alert: shownAlert(step, watch, alert),
    ...holdOfWhatFollows(step, watch, alert),
  });
};
