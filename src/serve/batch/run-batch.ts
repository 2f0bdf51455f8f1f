import { ANALYSIS_SIGNALS_MAX } from "../../../schemas/analysis.ts";
import type { BatchAnswer } from "../../../schemas/batch.ts";
import type { AccountId } from "../../../schemas/common.ts";
import type { Signals } from "../../ports/control-store.ts";
import type { Analyze } from "../analysis/analyzer.ts";
import type { LiveValues } from "../live-values.ts";
import { ProblemError, validationFailed } from "../problem.ts";
import { problemOf } from "../problem-of.ts";
import { refusal, type Settle } from "../settle.ts";
import { signalAnswer } from "../signal-answer.ts";
import type { Analysis, Batch, Change } from "./batch.ts";
import { checkReports } from "./check-reports.ts";
import { Outcomes } from "./outcomes.ts";
import { type ReportParts, runReports } from "./reports.ts";

export interface BatchParts extends ReportParts {
  readonly live: LiveValues;
  readonly settle: Settle;
  readonly analyze: Analyze;
}

/** An analysis is of up to 100 signals: without a bound on all of them together a batch could go on for hours. */
const tooManyAnalysed = (): ProblemError =>
  validationFailed([
    {
      path: "",
      message: `comes after analyses of ${ANALYSIS_SIGNALS_MAX} signals: send it in another batch`,
    },
  ]);

const runAnalyses = async (
  { analyze }: BatchParts,
  accountId: AccountId,
  analyses: readonly Analysis[],
  outcomes: Outcomes,
): Promise<void> => {
  let analysed = 0;
  for (const { index, request } of analyses) {
    if (analysed >= ANALYSIS_SIGNALS_MAX) {
      outcomes.refuse(index, tooManyAnalysed());
      continue;
    }
    analysed++;
    try {
      const analysis = await analyze(accountId, request);
      analysed += Math.max(0, analysis.analyses.length - 1);
      outcomes.done(index, { analysis });
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code === "internal") throw error;
      outcomes.refuse(index, problem);
    }
  }
};

/** Gives the position of the outbox that the log must reach; 0: nothing was changed. */
const runChanges = async (
  signals: Signals,
  live: LiveValues,
  accountId: AccountId,
  changes: readonly Change[],
  outcomes: Outcomes,
  options: { readonly atomic: boolean; readonly checkOnly: boolean },
): Promise<number> => {
  if (changes.length === 0) return 0;
  const operations = changes.map(({ operation }) => operation);
  const { results } = await signals.applyAll(accountId, operations, options);
  let outbox = 0;
  for (const [i, { index }] of changes.entries()) {
    const result = results[i];
    if (result === undefined) continue;
    if (!result.ok) outcomes.refuse(index, refusal("signal of this id", result));
    else {
      outcomes.done(index, result.value === null ? {} : { signal: signalAnswer(result.value, live) });
      outbox = Math.max(outbox, result.outbox);
    }
  }
  return outbox;
};

/** The log is no part of the transaction, and changes cannot wait for it with everybody behind them. */
const REPORTS_IN_DOUBT =
  "the changes of the batch are made, but its readings may not have been taken: report them again";

const outcomesOf = ({ size, refused }: Batch): Outcomes => {
  const outcomes = new Outcomes(size);
  for (const { index, problem } of refused) outcomes.refuse(index, problem);
  return outcomes;
};

/** A batch of changes alone, in one transaction, within which it may be run again. */
export const runChangesOnly = async (
  signals: Signals,
  live: LiveValues,
  accountId: AccountId,
  batch: Batch,
): Promise<{ readonly body: BatchAnswer; readonly outbox: number }> => {
  const { atomic, work } = batch;
  const outcomes = outcomesOf(batch);
  const options = { atomic, checkOnly: atomic && outcomes.refused > 0 };
  const outbox = await runChanges(signals, live, accountId, work.changes, outcomes, options);
  if (atomic && outcomes.refused > 0) throw outcomes.refusal();
  return { body: outcomes.answer(), outbox };
};

/**
 * Analyses first, of what was there before; then changes, in their order and in one transaction; then reports, once
 * the log has the changes. An atomic batch is checked as a whole before anything of it is done.
 */
export const runBatch = async (
  parts: BatchParts,
  accountId: AccountId,
  batch: Batch,
): Promise<BatchAnswer> => {
  const { control, live, settle } = parts;
  const { atomic, work } = batch;
  const outcomes = outcomesOf(batch);
  await runAnalyses(parts, accountId, work.analyses, outcomes);
  if (atomic) await checkReports(control.signals, accountId, work, outcomes);
  const options = { atomic, checkOnly: atomic && outcomes.refused > 0 };
  const outbox = await runChanges(control.signals, live, accountId, work.changes, outcomes, options);
  if (atomic && outcomes.refused > 0) throw outcomes.refusal();
  await settle("batch", { ok: true, value: null, outbox });
  await runReports(parts, accountId, work.reports, outcomes);
  if (atomic && outcomes.refused > 0) throw new ProblemError("pipeline_unavailable", REPORTS_IN_DOUBT);
  return outcomes.answer();
};
