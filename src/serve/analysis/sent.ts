import type { Analysis, AnalyzeRequest } from "../../../schemas/analysis.ts";
import { DEFAULT_CREATED_THRESHOLD, SignalCreate } from "../../../schemas/signal.ts";
import { figuresOf } from "../../domain/analysis/figures.ts";
import { judge, readingLog } from "../../domain/analysis/judge.ts";
import type { JudgedSettings } from "../../domain/analysis/recommendations.ts";
import type { TimedStrength } from "../../domain/analysis/statistics.ts";
import { READING_TIME_MIN_MS } from "../../domain/reading-line.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StoredSignal } from "../../ports/control-store.ts";
import { validationFailed } from "../problem.ts";
import { bounded } from "../readings-span.ts";
import { analysisAnswer } from "./analysis-answer.ts";
import { sentSpan, seriesStep } from "./asked.ts";
import { recommend } from "./recommend.ts";
import { readingSeries } from "./series.ts";

const DEFAULTS: JudgedSettings = SignalCreate.parse({
  name: "default",
  threshold: DEFAULT_CREATED_THRESHOLD,
});

const inOrder = (readings: NonNullable<AnalyzeRequest["readings"]>): TimedStrength[] => {
  const timed = readings.map(({ at, strength }) => ({ atMs: Date.parse(at), strength }));
  const wrong = timed.findIndex(({ atMs }) => atMs < READING_TIME_MIN_MS || atMs !== bounded(atMs));
  if (wrong >= 0)
    throw validationFailed([{ path: `readings.${wrong}.at`, message: "must be from 2000 to 2199" }]);
  return timed.sort((a, b) => a.atMs - b.atMs);
};

/** Readings that came with the request, judged by the settings of a signal, else by the defaults. */
export const analyzeSent = async (
  clock: Clock,
  request: AnalyzeRequest,
  sent: NonNullable<AnalyzeRequest["readings"]>,
  signal: StoredSignal | null,
): Promise<Analysis> => {
  const settings = signal?.definition ?? DEFAULTS;
  const all = inOrder(sent);
  const span = sentSpan(
    request,
    all.map(({ atMs }) => atMs),
  );
  const readings = all.filter(({ atMs }) => atMs >= span.fromMs && atMs < span.toMs);
  const figures = figuresOf(readings, settings, span);
  const changes = judge(readingLog(readings), settings);
  return analysisAnswer({
    signalId: signal?.definition.id ?? null,
    span,
    figures,
    history: { ...span, failedBefore: false, changes },
    series: readingSeries(seriesStep(request.step, span, readings.length), readings, settings),
    recommendations: await recommend(clock, figures, settings),
    approximated: [],
  });
};
