import type { BatchOperation } from "../../../schemas/batch.ts";
import type { SignalDefinition } from "../../../schemas/change.ts";
import type { AccountId } from "../../../schemas/common.ts";
import type { Reporter, ReportOutcome } from "../../intake/report.ts";
import type { Signals } from "../../ports/control-store.ts";
import { notFound, type ProblemError, validationFailed } from "../problem.ts";
import { problemOf } from "../problem-of.ts";
import type { Outcomes } from "./outcomes.ts";

export interface Report {
  readonly index: number;
  readonly operation: Extract<BatchOperation, { operation: "report" }>;
}

export const noSuchSignal = (): ProblemError => notFound("signal of this id");

/** The signal of each report, or undefined; asked for all at once. */
export const targetsOf = async (
  signals: Signals,
  accountId: AccountId,
  reports: readonly Report[],
): Promise<(report: Report) => SignalDefinition | undefined> => {
  const ids = reports.flatMap(({ operation }) => operation.signalId ?? []);
  const names = reports.flatMap(({ operation }) => operation.externalId ?? []);
  const [existing, named] = await Promise.all([
    signals.existing(accountId, ids),
    signals.named(accountId, names),
  ]);
  const byId = new Map<string, SignalDefinition>(existing.map((signal) => [signal.id, signal]));
  const byName = new Map<string | null, SignalDefinition>(named.map((signal) => [signal.externalId, signal]));
  return ({ operation: { signalId, externalId } }) =>
    signalId === undefined ? byName.get(externalId ?? null) : byId.get(signalId);
};

/** Times and strengths were checked before, but for how long readings are kept. */
const refusedReport = ({ reason, detail }: Extract<ReportOutcome, { ok: false }>): ProblemError =>
  reason === "unknown_signal"
    ? noSuchSignal()
    : validationFailed([{ path: reason.startsWith("time") ? "at" : "", message: detail }]);

export interface ReportParts {
  readonly control: { readonly signals: Signals };
  readonly reporter: Pick<Reporter, "report">;
}

/** All that can be accepted in one; if the log does not take them, nobody knows of which it has. */
export const runReports = async (
  { control, reporter }: ReportParts,
  accountId: AccountId,
  reports: readonly Report[],
  outcomes: Outcomes,
): Promise<void> => {
  if (reports.length === 0) return;
  // By id: what a name means may have been another thing before the changes of this batch.
  const targetOf = await targetsOf(control.signals, accountId, reports);
  const known: (Report & { readonly signalId: string })[] = [];
  for (const report of reports) {
    const target = targetOf(report);
    if (target === undefined) outcomes.refuse(report.index, noSuchSignal());
    else known.push({ ...report, signalId: target.id });
  }
  try {
    const readings = known.map(({ signalId, operation: { strength, at } }) => ({ signalId, strength, at }));
    const answers = await reporter.report(accountId, readings);
    for (const [place, { index }] of known.entries()) {
      const answer = answers[place];
      if (answer?.ok === false) outcomes.refuse(index, refusedReport(answer));
      else outcomes.done(index, { accepted: true });
    }
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === "internal") throw error;
    for (const { index } of known) outcomes.refuse(index, problem);
  }
};
