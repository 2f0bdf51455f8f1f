import {
  type Flapping,
  heldSequence,
  holdOfFiring,
  silencedBy,
  tellFiring,
  tellResolved,
} from "./alert-events.ts";
import { hasPassed, type Moment } from "./machine.ts";
import type { Watch } from "./state.ts";
import type { Step } from "./step.ts";
import { iso } from "./told.ts";

/** So many changes within so long are flapping; so long without one is calm. */
const FLAPPING_CHANGES = 7;
const FLAPPING_MS = 600_000;

/** Remembers that an alert began, stepped or resolved; gives what the event says if that was once too often. */
export const noteChange = ({ signal, recordMs }: Step, watch: Watch): Flapping | undefined => {
  if (!watch.rule.flapDetection) return undefined;
  const now: Moment = { at: signal.newest?.at ?? 0, record: recordMs };
  watch.changes.push(now);
  if (watch.flapping !== null) {
    watch.flapping.changes++;
    return undefined;
  }
  const first = watch.changes.at(-FLAPPING_CHANGES);
  if (first === undefined || hasPassed(first, now, FLAPPING_MS + 1)) return undefined;
  watch.flapping = { changes: FLAPPING_CHANGES, sinceMs: first.record };
  return { state: "began", changes: FLAPPING_CHANGES, since: iso(first.record) };
};

/** One event tells how things are, and what has flapped is forgotten. */
const tellCalm = (step: Step, watch: Watch, was: NonNullable<Watch["flapping"]>): void => {
  const flapping: Flapping = { state: "ended", changes: was.changes, since: iso(was.sinceMs) };
  watch.flapping = null;
  watch.changes = [];
  const { alert, last } = watch;
  if (alert !== null)
    tellFiring(step, watch, alert, holdOfFiring(step, watch, alert), {
      flapping,
      repeatOf: heldSequence(alert),
    });
  else if (last !== null) {
    const silence = watch.heard.length > 0 ? undefined : silencedBy(step, watch, last);
    tellResolved(step, watch, last, { silencedBy: silence }, { flapping });
  }
};

/** Ends what flaps, if it has been calm for long enough by either clock. */
export const calmDown = (step: Step, watch: Watch, now: Moment): void => {
  const last = watch.changes.at(-1);
  if (watch.flapping !== null && last !== undefined && hasPassed(last, now, FLAPPING_MS))
    tellCalm(step, watch, watch.flapping);
};

/** The rule does not look for flapping any more. */
export const forgetFlapping = (step: Step, watch: Watch): void => {
  if (watch.flapping !== null) tellCalm(step, watch, watch.flapping);
  watch.changes = [];
};
