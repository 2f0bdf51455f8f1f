import type { Analysis, AnalysisSeries, AnalyzeRequest } from "../../../schemas/analysis.ts";
import type { AccountId } from "../../../schemas/common.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StoredSignal } from "../../ports/control-store.ts";
import type { TimeSeries } from "../../ports/time-series.ts";
import type { EventFeed } from "../event-feed.ts";
import { STEP_MS } from "../readings-span.ts";
import { analysisAnswer } from "./analysis-answer.ts";
import { type Span, seriesStep, storedSpan } from "./asked.ts";
import { statusHistories } from "./histories.ts";
import { recommend } from "./recommend.ts";
import { bucketSeries, readingSeries } from "./series.ts";
import { oneByOne, type StoredFigures, storedFigures } from "./stored-figures.ts";

export interface StoredParts {
  readonly timeSeries: TimeSeries;
  readonly feed: EventFeed;
  readonly clock: Clock;
}

const approximatedIn = ({ isExact, isOfReadings }: StoredFigures): NonNullable<Analysis["approximated"]> => {
  if (isExact) return [];
  const ofMinutes = ["strength", "quality", "trendDbPerHour", "gaps"] as const;
  return [...(isOfReadings ? [] : ofMinutes), "anomalies", "recommendations"];
};

const seriesOf = async (
  { timeSeries }: StoredParts,
  { definition }: StoredSignal,
  asked: AnalyzeRequest["step"],
  span: Span,
  figures: StoredFigures,
): Promise<AnalysisSeries> => {
  const step = seriesStep(asked, span, figures.count);
  if (figures.isExact || step === "raw") return readingSeries(step, figures.newest, definition);
  const limit = Math.ceil((span.toMs - span.fromMs) / STEP_MS[step]) + 2;
  return bucketSeries(step, await timeSeries.buckets({ signalId: definition.id, ...span, step, limit }));
};

/** The stored history of each signal, one after the other, so that one request never holds the whole time series. */
export const analyzeStored = async (
  parts: StoredParts,
  accountId: AccountId,
  signals: readonly StoredSignal[],
  request: AnalyzeRequest,
): Promise<Analysis[]> => {
  const { feed, clock, timeSeries } = parts;
  const nowMs = clock.now();
  const span = storedSpan(request, nowMs);
  const historyOf = await statusHistories(feed, accountId, signals, span, nowMs);
  const limit = oneByOne(signals.length);
  const analyses: Analysis[] = [];
  for (const signal of signals) {
    const { definition } = signal;
    const history = historyOf(signal);
    const figures = await storedFigures(timeSeries, definition, span, history, limit);
    analyses.push(
      analysisAnswer({
        signalId: definition.id,
        span,
        figures,
        history,
        series: await seriesOf(parts, signal, request.step, span, figures),
        recommendations: await recommend(clock, figures, definition),
        approximated: approximatedIn(figures),
      }),
    );
  }
  return analyses;
};
