import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gapsOf, intervalsOf } from "../../src/domain/analysis/intervals.ts";
import { meanQuality, statisticsOf } from "../../src/domain/analysis/statistics.ts";
import { trendOf } from "../../src/domain/analysis/trend.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import type { ReadingStatistics, TimeSeries } from "../../src/ports/time-series.ts";
import { readingsIn } from "../support/readings.ts";
import { bytes, signalId } from "../support/rows.ts";
import type { StartedTimeSeries } from "./time-series.ts";

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 31, 9);
const SCALE = { floorDbm: -100, ceilingDbm: -50 };

/** Irregular in time and strength, with two long silences, the same at every run. */
const readings = Array.from({ length: 3_000 }, (_, i) => ({
  atMs:
    START + i * 2_000 + ((i * 7_919) % 1_500) + (i > 900 ? 40 * MINUTE : 0) + (i > 2_100 ? 7 * MINUTE : 0),
  strength: Math.round((-70 - i / 200 + 8 * Math.sin(i * 1.7) + ((i * 31) % 11)) * 10) / 10,
}));
const strengths = readings.map(({ strength }) => strength);
const times = readings.map(({ atMs }) => atMs);
const whole = { signalId: signalId(70), fromMs: START, toMs: START + 1_000 * MINUTE };

const close = (found: number, expected: number, tolerance = 1e-4) =>
  expect(Math.abs(found - expected), `${found} is near ${expected}`).toBeLessThanOrEqual(tolerance);

const expectClose = (found: ReadingStatistics | null, values: typeof readings, quantiles: number) => {
  const expected = statisticsOf(values.map(({ strength }) => strength));
  const trend = trendOf(values);
  if (found === null || expected === null || trend === null || found.trend === null) throw new Error("none");
  for (const name of ["min", "max", "mean", "stddev"] as const) close(found[name], expected[name]);
  for (const name of ["p5", "p50", "p95"] as const) close(found[name], expected[name], quantiles);
  close(found.trend.dbPerHour, trend.dbPerHour);
  close(found.trend.meanMs, trend.meanMs, 1);
  close(found.trend.meanDbm, trend.meanDbm);
  close(found.trend.residualDb, trend.residualDb);
};

/** What every engine says of readings without reading them out, held against plain computations. */
export const readingStatisticsConformance = (name: string, start: () => Promise<StartedTimeSeries>): void => {
  describe(`statistics of readings: ${name}`, () => {
    let engine: StartedTimeSeries;
    let timeSeries: TimeSeries;
    beforeAll(async () => {
      engine = await start();
      timeSeries = engine.timeSeries;
      const lines = readings.map(({ atMs, strength }) => readingLine(whole.signalId, atMs, strength));
      await timeSeries.insertReadings("statistics 1", readingsIn([bytes(lines.slice(0, 1_800).join(""))]));
      await timeSeries.insertReadings("statistics 2", readingsIn([bytes(lines.slice(1_800).join(""))]));
      const other = readingLine(signalId(71), START + 5, -45);
      await timeSeries.insertReadings("statistics 3", readingsIn([bytes(other)]));
    });
    afterAll(() => engine.stop());

    test("are those of the readings themselves, within a span", async () => {
      const query = { ...whole, ...SCALE, of: "readings" as const };
      const all = await timeSeries.statistics(query);
      expectClose(all, readings, 0.5);
      expect(all).toMatchObject({ count: readings.length, firstMs: times[0], lastMs: times.at(-1) });
      close(all?.qualityMean ?? Number.NaN, meanQuality(strengths, SCALE));
      const intervals = intervalsOf(times);
      expect(all?.intervals?.count).toBe(intervals?.count);
      for (const q of ["q25", "q50", "q75", "q99"] as const)
        close(all?.intervals?.[q] ?? Number.NaN, intervals?.[q] ?? Number.NaN, 100);
      const [fromMs = 0, toMs = 0] = [times[100], times[700]];
      expectClose(await timeSeries.statistics({ ...query, fromMs, toMs }), readings.slice(100, 700), 0.5);
    });

    test("out of minutes have count, extremes, mean and deviation exact, the rest nearly", async () => {
      const found = await timeSeries.statistics({ ...whole, ...SCALE, of: "minutes" });
      const expected = statisticsOf(strengths);
      if (found === null || expected === null) throw new Error("none");
      expect(found.count).toBe(readings.length);
      for (const name of ["min", "max", "mean", "stddev"] as const) close(found[name], expected[name]);
      close(found.p50, expected.p50, 2);
      close(found.trend?.dbPerHour ?? Number.NaN, trendOf(readings)?.dbPerHour ?? 0, 0.1);
      close(found.qualityMean, meanQuality(strengths, SCALE), 0.02);
      expect(found.intervals?.q50).toBe(MINUTE);
    });

    test("name the silences, the longest of them, in order of time", async () => {
      const query = { ...whole, of: "readings" as const, longerThanMs: MINUTE, limit: 10 };
      const expected = gapsOf(times, MINUTE);
      expect(expected).toHaveLength(2);
      expect(await timeSeries.gaps(query)).toEqual(expected);
      expect(await timeSeries.gaps({ ...query, limit: 1 })).toEqual(expected.slice(0, 1));
      expect(await timeSeries.gaps({ ...query, longerThanMs: 45 * MINUTE })).toEqual([]);
      const minutes = await timeSeries.gaps({ ...query, of: "minutes" });
      expect(minutes).toHaveLength(2);
      for (const [i, { fromMs, toMs }] of minutes.entries()) {
        close(fromMs, expected[i]?.fromMs ?? 0, MINUTE);
        close(toMs, expected[i]?.toMs ?? 0, MINUTE);
      }
    });

    test.each(["readings", "minutes"] as const)("of one reading, and of none, out of %s", async (of) => {
      const one = { ...whole, ...SCALE, of, signalId: signalId(71) };
      expect(await timeSeries.statistics(one)).toMatchObject({
        count: 1,
        min: -45,
        mean: -45,
        stddev: 0,
        p5: -45,
        p95: -45,
        qualityMean: 1,
        trend: null,
        intervals: null,
      });
      expect(await timeSeries.gaps({ ...one, longerThanMs: 0, limit: 5 })).toEqual([]);
      expect(await timeSeries.statistics({ ...one, signalId: signalId(72) })).toBeNull();
      expect(await timeSeries.statistics({ ...one, fromMs: 0, toMs: 60_000 })).toBeNull();
    });
  });
};
