import type { RuleId, SignalId } from "../../../schemas/common.ts";
import type { SignalServiceEvent } from "../../../schemas/event.ts";
import { EXPLAINED_READINGS_MAX, type ExplainAnswer, type ExplainStep } from "../../../schemas/explain.ts";
import type { Explained, Question } from "../../domain/explain/explain.ts";
import { shownNumber } from "../../domain/explain/words.ts";
import type { TimeSeries } from "../../ports/time-series.ts";
import type { Probes } from "../probes.ts";
import { ProblemError } from "../problem.ts";

type Live = NonNullable<ExplainAnswer["live"]>;

/** What the newest event of the rule on the signal says, and why nobody may have heard it. */
export interface NewestAlert {
  readonly live: Live;
  /** When the alert fired that goes on; null: none does. */
  readonly firedAt: string | null;
  readonly steps: ExplainStep[];
}

const hushed = ({ createdAt, data: { alert, silencedBy, heldBy } }: SignalServiceEvent): ExplainStep[] => {
  const said = (text: string): ExplainStep[] => [{ kind: "silence", at: createdAt, text }];
  const { acknowledged } = alert ?? {};
  return [
    ...(silencedBy === undefined
      ? []
      : said(`Its event was delivered to nobody: ${silencedBy} silences it.`)),
    ...(heldBy === undefined ? [] : said("Its event was delivered to nobody: the rule flaps on the signal.")),
    ...(acknowledged === undefined
      ? []
      : said(`${acknowledged.by} has acknowledged it at ${acknowledged.at}.`)),
  ];
};

const NOTHING: NewestAlert = {
  live: { firing: false, alertId: null, since: null },
  firedAt: null,
  steps: [],
};

/** By the newest event of the rule on the signal that is stored. */
export const newestAlert = async (
  timeSeries: TimeSeries,
  signalId: SignalId,
  ruleId: RuleId,
): Promise<NewestAlert> => {
  const events = await timeSeries.lastEvents([signalId]);
  const newest = events
    .map(({ event }) => event)
    .filter(({ data }) => data.alert?.ruleId === ruleId)
    .sort((a, b) => (b.sequence ?? 0) - (a.sequence ?? 0))[0];
  const alert = newest?.data.alert;
  if (newest === undefined || alert === undefined) return NOTHING;
  const live = { firing: alert.state === "firing", alertId: alert.id, since: newest.createdAt };
  return { live, firedAt: live.firing ? alert.firedAt : null, steps: hushed(newest) };
};

/** The question goes the way of a reading, to whoever evaluates the signal. */
const asked = async (probes: Probes, { rule, signal, readings }: Question): Promise<string> => {
  const strength = readings.at(-1)?.strength;
  if (strength === undefined) return "It has no reading to be asked about.";
  try {
    const { accountId, id: signalId } = signal;
    const { answer } = await probes.ask({ accountId, signalId, strength });
    const verdict = answer.verdict.conditions.find(({ ruleId }) => ruleId === rule.id);
    if (verdict === undefined) return "The evaluator knows of no such rule on the signal yet.";
    return `Another reading of ${shownNumber(strength)} dBm would come to "${verdict.outcome}": ${verdict.explanation}.`;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return "The evaluator did not answer: what waits in it is not known.";
  }
};

const differs = (outcome: ExplainAnswer["outcome"], { firing }: Live): boolean =>
  firing !== (outcome === "firing");

/** Where its readings say how a rule stands, and nothing keeps it from looking. */
const OF_READINGS: ReadonlySet<ExplainAnswer["outcome"]> = new Set(["idle", "pending", "noReadings"]);

/** An alert that fires by its newest event does so, also where the readings that are looked at do not show why. */
export const asLive = (found: Explained, { firedAt }: NewestAlert, { isCut }: Question): Explained => {
  if (firedAt === null || !OF_READINGS.has(found.outcome)) return found;
  const cut = isCut
    ? `the newest ${EXPLAINED_READINGS_MAX} readings alone do not show why, and older ones are not looked at.`
    : "the stored readings do not show why.";
  const silence = found.steps.filter(({ kind }) => kind === "silence").map(({ text }) => text);
  const summary = [`It fires, since ${firedAt}, as its newest event says: ${cut}`, ...silence].join(" ");
  return { ...found, outcome: "firing", summary };
};

const WHY =
  "Live differs from what the stored readings come to: readings that came late, a change of the rule or the signal meanwhile, or an event that is on its way may be why.";

/** What the evaluator itself holds now, beside what the stored readings come to. */
export const liveSteps = async (
  probes: Probes,
  question: Question,
  outcome: ExplainAnswer["outcome"],
  { live, steps }: NewestAlert,
): Promise<ExplainStep[]> => {
  const said =
    live.since === null
      ? "Live, no alert of the rule on the signal is stored."
      : `Live, the newest alert of the rule on the signal ${live.firing ? "fires" : "has resolved"}, since ${live.since}.`;
  return [
    { kind: "live", at: live.since, text: said },
    ...steps,
    { kind: "live", at: null, text: await asked(probes, question) },
    ...(differs(outcome, live) ? [{ kind: "live" as const, at: null, text: WHY }] : []),
  ];
};
