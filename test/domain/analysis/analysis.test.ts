import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anomaliesOf } from "../../../src/domain/analysis/anomalies.ts";
import { failuresOf } from "../../../src/domain/analysis/failures.ts";
import { edgeGaps, figuresOf } from "../../../src/domain/analysis/figures.ts";
import { gapLimitMs, gapsOf, intervalsOf, longestGaps } from "../../../src/domain/analysis/intervals.ts";
import { judge, readingLog } from "../../../src/domain/analysis/judge.ts";
import { quantile, statisticsOf } from "../../../src/domain/analysis/statistics.ts";
import { levelAt, timeOfLevel, trendOf } from "../../../src/domain/analysis/trend.ts";
import { referenceEvents } from "../../support/reference-evaluator.ts";

const START = Date.UTC(2026, 0, 31, 9);
const HOUR = 3_600_000;
const SCALE = { floorDbm: -100, ceilingDbm: -50 };

const strength = fc.integer({ min: -2_000, max: 500 }).map((tenths) => tenths / 10);
const strengths = fc.array(strength, { minLength: 1, maxLength: 60 });
const close = (found: number, expected: number) => expect(found).toBeCloseTo(expected, 6);
const at = (values: readonly number[], everyMs = 1_000) =>
  values.map((value, i) => ({ atMs: START + i * everyMs, strength: value }));

describe("statistics of strengths", () => {
  test("are what their definitions say", () => {
    fc.assert(
      fc.property(strengths, (values) => {
        const found = statisticsOf(values);
        const n = values.length;
        const mean = values.reduce((a, b) => a + b) / n;
        close(found?.mean ?? Number.NaN, mean);
        // As DESIGN's rollups have it: from the sum of squares.
        const squares = values.reduce((sum, value) => sum + value * value, 0);
        expect(found?.stddev).toBeCloseTo(Math.sqrt(Math.max(0, squares / n - mean * mean)), 3);
        expect([found?.min, found?.max]).toEqual([Math.min(...values), Math.max(...values)]);
        for (const [q, value] of [
          [0.05, found?.p5],
          [0.5, found?.p50],
          [0.95, found?.p95],
        ] as const) {
          const below = values.filter((other) => other < (value ?? 0) - 1e-9).length;
          const upTo = values.filter((other) => other <= (value ?? 0) + 1e-9).length;
          expect(below).toBeLessThanOrEqual(Math.ceil((n - 1) * q));
          expect(upTo).toBeGreaterThanOrEqual(Math.floor((n - 1) * q) + 1);
        }
      }),
    );
  });

  test("lie between neighbours, and there are none without readings", () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(quantile([1, 2, 3, 4, 5], 0.25)).toBe(2);
    expect(quantile([7], 0.95)).toBe(7);
    expect(statisticsOf([])).toBeNull();
  });
});

describe("the trend", () => {
  test("finds the line that readings were made from", () => {
    const slopes = fc.integer({ min: -500, max: 500 }).map((n) => n / 100);
    fc.assert(
      fc.property(slopes, strength, fc.integer({ min: 2, max: 50 }), (slope, level, n) => {
        const readings = Array.from({ length: n }, (_, i) => ({
          atMs: START + i * 600_000,
          strength: level + slope * (i / 6),
        }));
        const trend = trendOf(readings);
        if (trend === null) throw new Error("none");
        close(trend.dbPerHour, slope);
        close(trend.residualDb, 0);
        close(levelAt(trend, START + 5 * HOUR), level + slope * 5);
        if (slope !== 0) expect(timeOfLevel(trend, level + slope)).toBeCloseTo(START + HOUR, 0);
      }),
    );
  });

  test("leaves the least sum of squares: no other line near it has less", () => {
    fc.assert(
      fc.property(fc.array(strength, { minLength: 3, maxLength: 30 }), (values) => {
        const readings = at(values, 60_000);
        const trend = trendOf(readings);
        if (trend === null) throw new Error("none");
        const squares = (line: typeof trend) =>
          readings.reduce((sum, { atMs, strength: y }) => sum + (y - levelAt(line, atMs)) ** 2, 0);
        const least = squares(trend);
        expect(Math.sqrt(least / values.length)).toBeCloseTo(trend.residualDb, 6);
        for (const change of [{ dbPerHour: trend.dbPerHour + 0.5 }, { meanDbm: trend.meanDbm - 0.5 }])
          expect(squares({ ...trend, ...change })).toBeGreaterThan(least);
      }),
    );
  });

  test("is said of half an hour or more, and of nothing shorter", () => {
    for (const [minutes, slope] of [
      [30, -60],
      [29, null],
    ] as const) {
      const readings = Array.from({ length: minutes + 1 }, (_, n) => ({
        atMs: START + (n * HOUR) / 60,
        strength: -60 - n,
      }));
      const expected = { fromMs: START, toMs: START + HOUR };
      const { trend } = figuresOf(readings, SCALE, expected);
      expect(trend && Math.round(trend.dbPerHour)).toBe(slope);
    }
  });

  test("is not there for one moment, however many readings it has", () => {
    expect(trendOf([])).toBeNull();
    expect(trendOf(at([-60, -70], 0))).toBeNull();
  });
});

describe("gaps", () => {
  const limitOf = (times: readonly number[]) => {
    const intervals = intervalsOf(times);
    return intervals === null ? null : gapLimitMs(intervals);
  };
  const from = (intervals: readonly number[]) => {
    const times = [START];
    for (const ms of intervals) times.push((times.at(-1) ?? 0) + ms);
    return times;
  };

  test("in a regular feed are pauses of more than three intervals", () => {
    const times = from([...Array(20).fill(10_000), 29_000, 31_000, ...Array(20).fill(10_000)]);
    const limit = limitOf(times) ?? 0;
    expect(limit).toBe(30_000);
    expect(gapsOf(times, limit).map(({ fromMs, toMs }) => toMs - fromMs)).toEqual([31_000]);
  });

  test("in a feed as irregular as chance are next to none", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.0001, max: 0.9999, noNaN: true }), { minLength: 200, maxLength: 200 }),
        (chances) => {
          // Intervals of a Poisson process, in their exact proportions: the greatest of 1,000 is 7 times the mean.
          const even = Array.from({ length: 1_000 }, (_, i) => -Math.log(1 - (i + 0.5) / 1_000) * 60_000);
          const shuffled = even
            .map((ms, i) => [chances[i % 200] ?? 0, ms] as const)
            .sort((a, b) => a[0] - b[0]);
          const times = from(shuffled.map(([, ms]) => ms));
          expect(gapsOf(times, limitOf(times) ?? 0)).toEqual([]);
        },
      ),
      { numRuns: 5 },
    );
  });

  test("need eight intervals to be told from what is usual, and a second to be worth a word", () => {
    expect(limitOf(from(Array(7).fill(10_000)))).toBeNull();
    expect(limitOf(from(Array(8).fill(10_000)))).toBe(30_000);
    expect(limitOf(from(Array(50).fill(0)))).toBe(1_000);
    expect(limitOf([START])).toBeNull();
  });

  test("reach over the edges of a span in which readings were expected", () => {
    const times = from(Array(20).fill(10_000));
    const last = START + 200_000;
    const expected = { fromMs: START - 60_000, toMs: last + 20_000 };
    expect(edgeGaps(expected, [START, last], intervalsOf(times))).toEqual([
      { fromMs: START - 60_000, toMs: START },
    ]);
    expect(
      figuresOf(
        times.map((atMs) => ({ atMs, strength: -60 })),
        SCALE,
        expected,
      ).gaps,
    ).toHaveLength(1);
  });

  test("that are too many are the longest, in order of time", () => {
    const gaps = Array.from({ length: 150 }, (_, i) => ({ fromMs: i * 1_000, toMs: i * 1_000 + (i % 60) }));
    const kept = longestGaps(gaps);
    expect(kept).toHaveLength(100);
    expect(kept.map(({ fromMs }) => fromMs)).toEqual(
      [...kept].map(({ fromMs }) => fromMs).sort((a, b) => a - b),
    );
    expect(Math.min(...kept.map(({ fromMs, toMs }) => toMs - fromMs))).toBe(16);
  });
});

describe("anomalies", () => {
  test("are those whose modified z-score, computed plainly, is beyond 3.5", () => {
    const middle = (values: readonly number[]) => {
      const sorted = [...values].sort((a, b) => a - b);
      const [low = 0, high = 0] = [
        sorted[Math.floor((sorted.length - 1) / 2)],
        sorted[Math.ceil((sorted.length - 1) / 2)],
      ];
      return (low + high) / 2;
    };
    fc.assert(
      fc.property(strengths, (values) => {
        const median = middle(values);
        const mad = middle(values.map((value) => Math.abs(value - median)));
        fc.pre(mad > 0);
        const scores = values.map((value) => (0.6745 * (value - median)) / mad);
        const expected = scores.filter((score) => Math.abs(score) > 3.5);
        const found = anomaliesOf(at(values)).map(({ score }) => score);
        expect(found).toHaveLength(expected.length);
        for (const [i, score] of found.entries()) close(score, expected[i] ?? Number.NaN);
      }),
    );
  });

  test("stand out of readings that are mostly the same, and of constant ones there are none", () => {
    expect(anomaliesOf(at([...Array(30).fill(-60), -90, ...Array(30).fill(-60)]))).toMatchObject([
      { atMs: START + 30_000, strength: -90 },
    ]);
    expect(anomaliesOf(at(Array(50).fill(-60)))).toEqual([]);
    expect(anomaliesOf(at([-60]))).toEqual([]);
    expect(anomaliesOf([])).toEqual([]);
  });
});

describe("failures", () => {
  test("add up second by second", () => {
    const flips = fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.boolean(), flips, (failedBefore, seconds) => {
        const ordered = [...seconds].sort((a, b) => a - b);
        const changes = ordered.map((second, i) => ({
          atMs: START + second * 1_000,
          failed: failedBefore ? i % 2 === 1 : i % 2 === 0,
        }));
        const { availability, failures } = failuresOf({
          fromMs: START,
          toMs: START + 100_000,
          failedBefore,
          changes,
        });
        const failedIn = (second: number) =>
          changes.filter(({ atMs }) => atMs <= START + second * 1_000).at(-1)?.failed ?? failedBefore;
        const failed = Array.from({ length: 100 }, (_, second) => failedIn(second)).filter(Boolean).length;
        expect(failures.totalSeconds).toBe(failed);
        expect(availability).toBeCloseTo(1 - failed / 100, 9);
        const began = changes.filter((change) => change.failed).length;
        expect(failures.count).toBe(began);
        if (began === 0) expect(failures.mtbfSeconds).toBeNull();
        else expect((failures.mtbfSeconds ?? 0) * began).toBeCloseTo(100 - failed, 6);
        expect(failures.longestSeconds).toBeLessThanOrEqual(failed);
        expect(failures.mttrSeconds === null).toBe(changes.every((change) => change.failed));
      }),
    );
  });

  test("of a time in which the signal was not known are unknown", () => {
    const { availability, failures } = failuresOf({
      fromMs: START,
      toMs: START,
      failedBefore: true,
      changes: [],
    });
    expect(availability).toBeNull();
    expect(failures).toMatchObject({ count: 0, mttrSeconds: null, mtbfSeconds: null });
  });
});

test("readings are judged as the evaluator judges them, each change at its reading's time", () => {
  const share = fc.integer({ min: 0, max: 100 }).map((n) => n / 100);
  fc.assert(
    fc.property(strengths, share, share, (values, threshold, hysteresis) => {
      const limits = { ...SCALE, threshold, hysteresis };
      const found = judge(readingLog(at(values)), limits);
      const reference = referenceEvents({ ...limits, ruleBelowDbm: -1_000, ruleHysteresisDb: 0 }, values);
      const expected = reference.flatMap((kinds, i) =>
        kinds.map((kind) => ({ atMs: START + i * 1_000, failed: kind === "signal.failed" })),
      );
      expect(found).toEqual(expected);
    }),
  );
});
