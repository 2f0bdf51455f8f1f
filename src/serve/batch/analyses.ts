import { ANALYSIS_SIGNALS_MAX } from "../../../schemas/analysis.ts";
import type { AccountId } from "../../../schemas/common.ts";
import type { Analyze } from "../analysis/analyzer.ts";
import { type ProblemError, validationFailed } from "../problem.ts";
import { problemOf } from "../problem-of.ts";
import type { Analysis } from "./batch.ts";
import type { Outcomes } from "./outcomes.ts";

/** An analysis is of up to 100 signals: without a bound on all of them together a batch could go on for hours. */
const tooManyAnalysed = (): ProblemError =>
  validationFailed([
    {
      path: "",
      message: `comes after analyses of ${ANALYSIS_SIGNALS_MAX} signals: send it in another batch`,
    },
  ]);

export const runAnalyses = async (
  analyze: Analyze,
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
