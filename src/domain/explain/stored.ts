import type { SignalServiceEvent } from "../../../schemas/event.ts";
import type { ExplainStep, Standing, StoredThen } from "../../../schemas/explain.ts";
import type { Question } from "./explain.ts";
import { listed, shownNumber, shownSeconds, shownTime } from "./words.ts";

/** Events of an alert that are told of: the newest. */
const EVENTS_TOLD = 10;
/** An event of a moment that is no longer ago than this may not be stored yet. */
const ON_ITS_WAY_MS = 10_000;

/** Events of the rule's alerts on the signal that are stored. */
export interface StoredAlerts {
  /** Made up to the moment, newest first. */
  readonly told: readonly SignalServiceEvent[];
  /** Those of readings up to the moment, whenever they were made, newest first. */
  readonly read: readonly SignalServiceEvent[];
}

const fires = (event: SignalServiceEvent | undefined): boolean => event?.data.alert?.state === "firing";

/** Not of somebody who acknowledged, changed or silenced something, maybe long after the reading. */
const isOfReading = ({ event, data: { alert } }: SignalServiceEvent): boolean =>
  event !== "alert.acknowledged" &&
  alert?.repeatOf === undefined &&
  (alert?.resolveReason ?? "recovered") === "recovered";

const stored = (at: string | null, text: string): ExplainStep => ({ kind: "stored", at, text });

const happened = ({ event, data: { alert } }: SignalServiceEvent): string => {
  if (alert === undefined) return event;
  const { severity, previousSeverity, value, limit, resolveReason = "recovered", acknowledged } = alert;
  const figures = value === null ? "" : `, ${shownNumber(value)} against the limit ${shownNumber(limit)}`;
  if (event === "alert.acknowledged" && acknowledged !== undefined)
    return `${acknowledged.by} acknowledged the alert${acknowledged.note === null ? "" : `: "${acknowledged.note}"`}`;
  if (event === "alert.resolved") return `the alert resolved (${resolveReason})`;
  if (previousSeverity !== undefined)
    return `the alert went from ${previousSeverity} to ${severity}${figures}`;
  if (alert.repeatOf !== undefined) return `the alert, which had been held back, was told as ${severity}`;
  return `an alert fired as ${severity}${figures}`;
};

const unheard = ({ data: { silencedBy, heldBy } }: SignalServiceEvent): string => {
  if (silencedBy !== undefined) return ` The event was delivered to nobody: ${silencedBy} silenced it.`;
  return heldBy === undefined ? "" : " The event was delivered to nobody: the rule flapped on the signal.";
};

/** What became of the newest alert that had been told of by then. */
const eventSteps = (told: readonly SignalServiceEvent[]): ExplainStep[] => {
  const id = told[0]?.data.alert?.id;
  return told
    .filter(({ data }) => data.alert?.id === id)
    .slice(0, EVENTS_TOLD)
    .reverse()
    .map((event) => stored(event.createdAt, `By the events stored, ${happened(event)}.${unheard(event)}`));
};

/** What may have made the two differ; there may be more than one. */
const reasons = (
  { rule, signal, atMs, isCut }: Question,
  told: StoredAlerts["told"],
  nowMs: number,
): string[] => {
  const ended = told[0]?.data.alert?.resolveReason ?? "recovered";
  if (Date.parse(rule.createdAt) > atMs) return [`the rule was made only at ${rule.createdAt}`];
  const known = [
    Date.parse(rule.updatedAt) > atMs && `the rule was changed at ${rule.updatedAt}`,
    signal.updatedAt > atMs && `the signal was changed at ${shownTime(signal.updatedAt)}`,
    ended !== "recovered" && `the alert had ended for another reason than a reading (${ended})`,
    isCut && "older readings were not looked at",
    nowMs - atMs < ON_ITS_WAY_MS && "an event may still be on its way",
  ].filter((reason) => reason !== false);
  return known.length > 0 ? known : ["readings may have come late: they are stored, but were not evaluated"];
};

const differenceStep = (
  question: Question,
  told: StoredAlerts["told"],
  nowMs: number,
  isFiring: boolean,
): ExplainStep => {
  const [then, now] = isFiring ? ["fired", "does not"] : ["did not fire", "does"];
  const why = listed(reasons(question, told, nowMs));
  return stored(
    null,
    `What was told differs: the rule ${then} then, and by the stored readings it ${now}. Why that may be: ${why}.`,
  );
};

const NOTHING = stored(
  null,
  "By the events stored, no alert of the rule on the signal had been told of by then.",
);

const thenOf = (event: SignalServiceEvent | undefined, differs: boolean): StoredThen => ({
  firing: fires(event),
  alertId: event?.data.alert?.id ?? null,
  since: event?.createdAt ?? null,
  severity: event?.data.alert?.severity ?? null,
  acknowledged: event?.data.alert?.acknowledged ?? null,
  silencedBy: event?.data.silencedBy ?? null,
  heldBy: event?.data.heldBy ?? null,
  differs,
});

/**
 * What was told by a moment, beside what the stored readings come to. An event is made when its reading comes, which
 * may be long after that was taken: where only the reading's own time fits, it is told late, and that is no difference.
 */
export const storedThen = (
  question: Question,
  outcome: Standing,
  { told, read: ofReadings }: StoredAlerts,
  nowMs: number,
): { readonly stored: StoredThen; readonly steps: readonly ExplainStep[] } => {
  const isFiring = outcome === "firing";
  const newest = told[0];
  const steps = newest === undefined ? [NOTHING] : eventSteps(told);
  if (fires(newest) === isFiring) return { stored: thenOf(newest, false), steps };
  const read = ofReadings.find(isOfReading);
  if (read !== undefined && fires(read) === isFiring) {
    const lateMs = Date.parse(read.createdAt) - question.atMs;
    const text = `Only ${shownSeconds(lateMs)} after this moment, ${happened(read)}: its reading came later than it was taken, or waited to be evaluated.${unheard(read)}`;
    return { stored: thenOf(read, false), steps: [...steps, stored(read.createdAt, text)] };
  }
  const difference = differenceStep(question, told, nowMs, fires(newest));
  return { stored: thenOf(newest, true), steps: [...steps, difference] };
};
