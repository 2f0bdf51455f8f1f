import { type AccountId, LIST_LIMIT_MAX, type RuleId } from "../../../schemas/common.ts";
import type { ExplainAnswer, ExplainQuery } from "../../../schemas/explain.ts";
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
import { liveSteps, newestAlert } from "./live.ts";

/** Readings that are gone through: the newest before the moment. */
const READINGS_MAX = 5_000;

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

const questionOf = async (
  { control, timeSeries }: ExplainParts,
  accountId: AccountId,
  ruleId: RuleId,
  signalId: ExplainQuery["signalId"],
  atMs: number,
): Promise<Question> => {
  const rule = (await control.rules.get(accountId, ruleId))?.rule;
  if (rule === undefined) throw notFound("rule of this id");
  const signal = (await control.signals.get(accountId, signalId))?.definition;
  if (signal === undefined) throw notFound(`signal ${signalId}`);
  const span = { fromMs: 0, toMs: bounded(atMs + 1), skipAtFrom: 0 };
  const newest = await timeSeries.rawReadings({ signalId, ...span, limit: READINGS_MAX + 1, newest: true });
  const silences = await silencesOf(control.silences, accountId);
  const isCut = newest.length > READINGS_MAX;
  return { rule, signal, atMs, readings: isCut ? newest.slice(1) : newest, isCut, silences };
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

/** Why a rule fires on a signal, or does not; of now with what the evaluator itself says. */
export const explainRule = async (
  parts: ExplainParts,
  accountId: AccountId,
  ruleId: RuleId,
  { signalId, at }: ExplainQuery,
): Promise<ExplainAnswer> => {
  const nowMs = parts.clock.now();
  const atMs = at === undefined ? nowMs : Date.parse(at);
  if (atMs > nowMs) throw validationFailed([{ path: "at", message: "must not be in the future" }]);
  const question = await questionOf(parts, accountId, ruleId, signalId, atMs);
  const found = await explained(parts.clock, question);
  const asked = { ruleId, signalId, at: timestamp(atMs) };
  if (at !== undefined) return { ...asked, ...found, live: null };
  const newest = await newestAlert(parts.timeSeries, signalId, ruleId);
  const steps = [...found.steps, ...(await liveSteps(parts.probes, question, found.outcome, newest))];
  return { ...asked, ...found, steps, live: newest.live };
};
