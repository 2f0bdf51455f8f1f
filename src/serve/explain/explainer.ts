import { type AccountId, LIST_LIMIT_MAX, type RuleId, type SignalId } from "../../../schemas/common.ts";
import type { Condition } from "../../../schemas/condition.ts";
import { EXPLAINED_READINGS_MAX, type ExplainAnswer, type ExplainQuery } from "../../../schemas/explain.ts";
import { type CompiledSilence, compileSilence } from "../../domain/evaluation/silence-book.ts";
import { type Explained, explaining, type Question } from "../../domain/explain/explain.ts";
import type { Silences } from "../../ports/alerts.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Rules, Signals } from "../../ports/control-store.ts";
import type { TimeSeries } from "../../ports/time-series.ts";
import { timestamp } from "../answers.ts";
import type { Probes } from "../probes.ts";
import { notFound, validationFailed } from "../problem.ts";
import { bounded } from "../readings-span.ts";
import { asLive, liveSteps, type NewestAlert, newestAlert } from "./live.ts";
import { withStored } from "./past.ts";

/** Of these, the ones up to the beginning of an alert that has fired since before the newest. */
const BEGUN_MAX = 1_000;

export interface ExplainParts {
  readonly control: { readonly signals: Signals; readonly rules: Rules; readonly silences: Silences };
  readonly timeSeries: TimeSeries;
  readonly probes: Probes;
  readonly clock: Clock;
}

/** All of the account: a limit bounds them. */
const silencesOf = async (silences: Silences, accountId: AccountId): Promise<CompiledSilence[]> => {
  const found: CompiledSilence[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await silences.list(accountId, { limit: LIST_LIMIT_MAX, cursor });
    found.push(
      ...page.items.map(({ revision, definition }) => compileSilence(accountId, revision, definition)),
    );
    cursor = page.next;
  }
  return found;
};

/** The newest up to a moment, oldest first. */
const newestReadings = (timeSeries: TimeSeries, signalId: SignalId, atMs: number, limit: number) => {
  const span = { fromMs: 0, toMs: bounded(atMs + 1), skipAtFrom: 0 };
  return timeSeries.rawReadings({ signalId, ...span, limit, newest: true });
};

const questionOf = async (
  { control, timeSeries }: ExplainParts,
  accountId: AccountId,
  ruleId: RuleId,
  signalId: SignalId,
  { atMs, isPast }: Pick<Question, "atMs" | "isPast">,
): Promise<Question> => {
  const found = await control.rules.at(accountId, ruleId, atMs);
  if (found === null) throw notFound("rule of this id");
  const { was, is } = found;
  const ruleChangedAt = was.revision === is.revision ? null : is.rule.updatedAt;
  const signal = (await control.signals.get(accountId, signalId))?.definition;
  if (signal === undefined) throw notFound(`signal ${signalId}`);
  const newest = await newestReadings(timeSeries, signalId, atMs, EXPLAINED_READINGS_MAX + 1);
  const silences = await silencesOf(control.silences, accountId);
  const isCut = newest.length > EXPLAINED_READINGS_MAX;
  const readings = isCut ? newest.slice(1) : newest;
  return { rule: was.rule, ruleChangedAt, signal, atMs, isPast, readings, isCut, begun: [], silences };
};

/** What is compared with nothing but its limit: such an alert goes on through whatever readings do not end it. */
const HELD: ReadonlySet<Condition["operator"]> = new Set(["below", "above", "outside"]);

/** Of an alert that fires since before the newest readings, the ones that made it fire as well. */
const fromItsBeginning = async (
  timeSeries: TimeSeries,
  question: Question,
  { firedAt }: NewestAlert,
): Promise<Question> => {
  const { rule, signal, isCut } = question;
  if (!isCut || firedAt === null || !HELD.has(rule.condition.operator)) return question;
  const readings = question.readings.slice(BEGUN_MAX);
  const first = readings[0]?.atMs ?? 0;
  const begun = await newestReadings(timeSeries, signal.id, Date.parse(firedAt), BEGUN_MAX);
  const isBefore = begun.length > 0 && begun.every(({ atMs }) => atMs < first);
  return isBefore ? { ...question, readings, begun } : question;
};

/** Others have their turn between two slices. */
const explained = async (clock: Clock, question: Question): Promise<Explained> => {
  const slices = explaining(question);
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
    await clock.sleep(0);
  }
};

/** Why a rule fires on a signal, or does not; of now with what the evaluator itself says, of the past with what was told. */
export const explainRule = async (
  parts: ExplainParts,
  accountId: AccountId,
  ruleId: RuleId,
  { signalId, at }: ExplainQuery,
): Promise<ExplainAnswer> => {
  const nowMs = parts.clock.now();
  const atMs = at === undefined ? nowMs : Date.parse(at);
  if (atMs > nowMs) throw validationFailed([{ path: "at", message: "must not be in the future" }]);
  const question = await questionOf(parts, accountId, ruleId, signalId, { atMs, isPast: at !== undefined });
  const asked = { ruleId, signalId, at: timestamp(atMs), rule: question.rule };
  if (at !== undefined) {
    const found = await explained(parts.clock, question);
    return { ...asked, ...(await withStored(parts.timeSeries, question, found, nowMs)), live: null };
  }
  const newest = await newestAlert(parts.timeSeries, signalId, ruleId);
  const whole = await fromItsBeginning(parts.timeSeries, question, newest);
  const found = asLive(await explained(parts.clock, whole), newest, whole);
  const steps = [...found.steps, ...(await liveSteps(parts.probes, question, found.outcome, newest))];
  return { ...asked, ...found, steps, stored: null, live: newest.live };
};
