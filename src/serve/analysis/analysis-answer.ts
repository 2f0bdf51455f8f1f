import type { Analysis, AnalysisSeries, Recommendation } from "../../../schemas/analysis.ts";
import type { SignalId } from "../../../schemas/common.ts";
import { type Failures, failuresOf, type StatusHistory } from "../../domain/analysis/failures.ts";
import type { Figures } from "../../domain/analysis/figures.ts";
import { shownDbm } from "../../domain/quality.ts";
import { timestamp } from "../answers.ts";
import type { Span } from "./asked.ts";

const toPlaces = (value: number, places: number): number => {
  const unit = 10 ** places;
  return Math.round(value * unit) / unit + 0;
};
const share = (value: number): number => Math.min(1, Math.max(0, toPlaces(value, 6)));
const seconds = (value: number): number => toPlaces(value, 3);
const orNull = <T>(value: T | null, shown: (value: T) => T): T | null =>
  value === null ? null : shown(value);

const failuresShown = (failures: Failures): Failures => ({
  count: failures.count,
  totalSeconds: seconds(failures.totalSeconds),
  longestSeconds: seconds(failures.longestSeconds),
  mttrSeconds: orNull(failures.mttrSeconds, seconds),
  mtbfSeconds: orNull(failures.mtbfSeconds, seconds),
});

const strengthShown = ({ strength }: Figures): Analysis["strength"] =>
  strength && {
    min: shownDbm(strength.min),
    max: shownDbm(strength.max),
    mean: shownDbm(strength.mean),
    stddev: shownDbm(strength.stddev),
    p5: shownDbm(strength.p5),
    p50: shownDbm(strength.p50),
    p95: shownDbm(strength.p95),
  };

export interface Analysed {
  readonly signalId: SignalId | null;
  readonly span: Span;
  readonly figures: Figures;
  readonly history: StatusHistory;
  readonly series: AnalysisSeries;
  readonly recommendations: readonly Recommendation[];
  readonly approximated: NonNullable<Analysis["approximated"]>;
}

/** Rounded to what the data can say: 0.0001 dB, a millionth of a share, a millisecond. */
export const analysisAnswer = (analysed: Analysed): Analysis => {
  const { signalId, span, figures, history, series, recommendations, approximated } = analysed;
  const { availability, failures } = failuresOf(history);
  return {
    signalId,
    from: timestamp(span.fromMs),
    to: timestamp(span.toMs),
    count: figures.count,
    strength: strengthShown(figures),
    quality: figures.quality && { mean: share(figures.quality.mean), min: share(figures.quality.min) },
    availability: orNull(availability, share),
    failures: failuresShown(failures),
    trendDbPerHour: figures.trend && toPlaces(figures.trend.dbPerHour, 6),
    gaps: figures.gaps.map(({ fromMs, toMs }) => ({ from: timestamp(fromMs), to: timestamp(toMs) })),
    anomalies: figures.anomalies.map(({ atMs, strength, score }) => ({
      at: timestamp(atMs),
      strength: shownDbm(strength),
      score: toPlaces(score, 2),
    })),
    series,
    ...(approximated.length === 0 ? {} : { approximated }),
    recommendations: [...recommendations],
  };
};
