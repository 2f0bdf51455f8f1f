import type { Api } from "../test/support/api.ts";
import { type Figures, rounded } from "./bench.ts";

/** How a reading goes: durable in the log, evaluated, in ClickHouse with its rollups. */
const STAGES = {
  accepted: /^ingest_readings_total (\d+)$/m,
  evaluated: /^evaluate_readings_total (\d+)$/m,
  recorded: /^record_rows_total\{topic="readings"\} (\d+)$/m,
};
export type StageCounts = Readonly<Record<keyof typeof STAGES, number>>;

/** How many readings have passed each stage, out of the text of `/metrics`. */
export const stagesIn = (metrics: string): StageCounts => {
  const count = (pattern: RegExp) => Number(pattern.exec(metrics)?.[1] ?? 0);
  return {
    accepted: count(STAGES.accepted),
    evaluated: count(STAGES.evaluated),
    recorded: count(STAGES.recorded),
  };
};

export const stageCounts = async (api: Api): Promise<StageCounts> =>
  stagesIn(String((await api.call("GET", "/metrics")).body));

/** What passed each stage, and all of them: what comes out at the end is what the slowest lets through. */
export const stageRates = (
  before: StageCounts,
  after: StageCounts,
  seconds: number,
): { readings: number; figures: Figures } => {
  const passed = (stage: keyof StageCounts) => {
    // A thread that does not answer in time is left out of `/metrics`: its count would be that since its start.
    if (before[stage] === 0 || after[stage] < before[stage])
      throw new Error(`the service did not tell how many readings were ${stage}: measure again`);
    return after[stage] - before[stage];
  };
  const readings = Math.min(passed("accepted"), passed("evaluated"), passed("recorded"));
  const perSecond = (count: number) => rounded(count / seconds);
  const figures = {
    "readings/s": perSecond(readings),
    "accepted/s": perSecond(passed("accepted")),
    "evaluated/s": perSecond(passed("evaluated")),
    "recorded/s": perSecond(passed("recorded")),
  };
  return { readings, figures };
};
