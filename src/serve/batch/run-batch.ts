import type { BatchAnswer, BatchResult } from "../../../schemas/batch.ts";
import type { AccountId } from "../../../schemas/common.ts";
import type { Signals } from "../../ports/control-store.ts";
import type { Analyze } from "../analysis/analyzer.ts";
import type { LiveValues } from "../live-values.ts";
import { ProblemError } from "../problem.ts";
import { refusal, type Settle } from "../settle.ts";
import { signalAnswer } from "../signal-answer.ts";
import { runAnalyses } from "./analyses.ts";
import type { Batch, Change } from "./batch.ts";
import type { ChangedBatch } from "./changed-batch.ts";
import { checkReports } from "./check-reports.ts";
import { Outcomes } from "./outcomes.ts";
import { type ReportParts, runReports } from "./reports.ts";

export interface BatchParts extends ReportParts {
  readonly live: LiveValues;
  readonly settle: Settle;
  readonly analyze: Analyze;
}

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

/** What is none of the batch's work. */
export const refusedOf = ({ size, refused }: Batch): readonly BatchResult[] => {
  const outcomes = new Outcomes(size);
  for (const { index, problem } of refused) outcomes.refuse(index, problem);
  return outcomes.results;
};

/** Analyses, of what was there before; and an atomic batch is checked as a whole before anything of it is done. */
export const prepareBatch = async (
  { control, analyze }: BatchParts,
  accountId: AccountId,
  batch: Batch,
): Promise<readonly BatchResult[]> => {
  const outcomes = new Outcomes(batch.size, refusedOf(batch));
  await runAnalyses(analyze, accountId, batch.work.analyses, outcomes);
  if (batch.atomic) await checkReports(control.signals, accountId, batch.work, outcomes);
  return outcomes.results;
};

/** Changes in their order, in one transaction, within which it may be run again; `prepared` are the results so far. */
export const changeBatch = async (
  signals: Signals,
  live: LiveValues,
  accountId: AccountId,
  { size, atomic, work }: Batch,
  prepared: readonly BatchResult[],
): Promise<ChangedBatch> => {
  const outcomes = new Outcomes(size, prepared);
  const options = { atomic, checkOnly: atomic && outcomes.refused > 0 };
  const outbox = await runChanges(signals, live, accountId, work.changes, outcomes, options);
  if (atomic && outcomes.refused > 0) throw outcomes.refusal();
  return { outbox, results: outcomes.results };
};

/** Reports, once the log has the changes. */
export const reportBatch = async (
  parts: BatchParts,
  accountId: AccountId,
  { size, atomic, work }: Batch,
  { outbox, results }: ChangedBatch,
): Promise<BatchAnswer> => {
  const outcomes = new Outcomes(size, results);
  await parts.settle("batch", { ok: true, value: null, outbox });
  await runReports(parts, accountId, work.reports, outcomes);
  if (atomic && outcomes.refused > 0) throw new ProblemError("pipeline_unavailable", REPORTS_IN_DOUBT);
  return outcomes.answer();
};
