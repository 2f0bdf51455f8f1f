import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { loneRows } from "../../src/dashboard/chart/lone-rows.ts";
import { pretendBrowser } from "./browser.ts";

let historyOf: typeof import("../../src/dashboard/chart/history.ts").historyOf;
let filled: typeof import("../../src/dashboard/chart/history.ts").filled;
let withLive: typeof import("../../src/dashboard/chart/history.ts").withLive;
beforeAll(async () => {
  pretendBrowser();
  ({ filled, historyOf, withLive } = await import("../../src/dashboard/chart/history.ts"));
});
const MINUTE_MS = 60_000;

const point = (atMs: number, mean = -70, count = 1) => ({ atMs, count, mean, min: mean - 1, max: mean + 1 });

test("a step that is missing many times over is a gap, with a row of nothing in its middle", () => {
  const minutes = [0, 1, 2, 3, 10, 11].map((minute) => point(minute * 60_000));
  const history = historyOf("1m", minutes);
  expect(history.seconds).toEqual([0, 60, 120, 180, 390, 600, 660]);
  expect(history.mean).toEqual([-70, -70, -70, -70, null, -70, -70]);
  expect(history.min[4]).toBeNull();
});

const byMinute = (minutes: readonly number[]) =>
  historyOf(
    "1m",
    minutes.map((minute) => point(minute * MINUTE_MS)),
  );
const gapsIn = ({ mean }: { readonly mean: readonly (number | null)[] }) =>
  mean.filter((value) => value === null).length;

test("what comes every ten minutes has no gaps by the minute, but where several are missing", () => {
  // Some a little early or late.
  const minutes = [0, 10, 20, 31, 40, 50, 59, 70, 80];
  expect(gapsIn(byMinute(minutes))).toBe(0);
  expect(gapsIn(byMinute([...minutes, 130, 140, 150]))).toBe(1);
});

test("of what comes many times a minute, a minute without any is a gap", () => {
  const minutes = [0, 1, 2, 3, 5, 6, 7].map((minute) =>
    point(minute * MINUTE_MS, -70, minute === 3 ? 20 : 60),
  );
  const history = historyOf("1m", minutes);
  expect(history.seconds[4]).toBe(4 * 60);
  expect(history.mean[4]).toBeNull();
  expect(gapsIn(history)).toBe(1);
});

test("of what comes every minute one may be missing, and two are a gap, in steps of any length", () => {
  const minutes = Array.from({ length: 60 }, (_, minute) => minute);
  expect(gapsIn(byMinute(minutes.filter((minute) => minute !== 30)))).toBe(0);
  const broken = byMinute(minutes.filter((minute) => minute !== 30 && minute !== 31));
  expect(broken.mean[30]).toBeNull();
  expect(gapsIn(broken)).toBe(1);
  const hours = [0, 1, 2, 3, 4, 7, 8, 9].map((hour) => point(hour * 60 * MINUTE_MS));
  expect(gapsIn(historyOf("1h", hours))).toBe(1);
});

test("no line is drawn over more than the history says", () => {
  const steps = fc.constantFrom("raw", "1m", "5m", "1h", "1d");
  const times = fc.uniqueArray(fc.nat({ max: 5_000 }), { maxLength: 300 });
  fc.assert(
    fc.property(steps, times, (step, minutes) => {
      const points = minutes.toSorted((a, b) => a - b).map((minute) => point(minute * MINUTE_MS));
      const history = historyOf(step, points);
      history.seconds.forEach((second, row) => {
        if (row === 0 || history.mean[row] === null || history.mean[row - 1] === null) return;
        expect((second - (history.seconds[row - 1] ?? 0)) * 1_000).toBeLessThanOrEqual(history.gapMs);
      });
    }),
  );
});

test("what comes live of a slow signal goes on with its line", () => {
  const tens = [0, 10, 20, 30, 40].map((minute) => point(minute * MINUTE_MS));
  const live = [{ atMs: 50 * MINUTE_MS, strength: -75 }];
  for (const step of ["raw", "1m"] as const) {
    expect(gapsIn(withLive(historyOf(step, tens), live))).toBe(0);
    expect(withLive(historyOf(step, tens), live).gapMs).toBe(historyOf(step, tens).gapMs);
  }
});

test("points alone between gaps, or at an end, are found, as no line shows them", () => {
  const history = byMinute([0, 1, 2, 3, 4, 5, 6, 7, 20, 30, 31, 50]);
  const lone = loneRows(history).map((row) => history.seconds[row]);
  expect(lone).toEqual([20 * 60, 50 * 60]);
  // A pair is a point where a minute is no more than one.
  expect(loneRows(history, 60).map((row) => history.seconds[row])).toEqual([20 * 60, 30 * 60, 50 * 60]);
  expect(loneRows(historyOf("raw", [point(5_000)]))).toEqual([0]);
  expect(loneRows(historyOf("raw", []))).toEqual([]);
});

test("readings have gaps by their own rhythm", () => {
  const history = historyOf(
    "raw",
    [0, 1_000, 2_000, 3_000, 60_000, 61_000].map((atMs) => point(atMs)),
  );
  expect(history.mean.filter((mean) => mean === null).length).toBe(1);
});

test("one reading, and none, are no gap", () => {
  expect(historyOf("raw", []).seconds).toEqual([]);
  expect(historyOf("raw", [point(5_000)]).seconds).toEqual([5]);
});

test("no point is lost, and time goes on", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat({ max: 1e7 })), (times) => {
      const points = times.toSorted((a, b) => a - b).map((atMs) => point(atMs));
      const { seconds, mean } = historyOf("raw", points);
      expect(seconds.filter((_, n) => mean[n] !== null)).toEqual(points.map(({ atMs }) => atMs / 1_000));
      expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
    }),
  );
});

test("what comes live goes on behind history, each reading once", () => {
  const history = historyOf(
    "raw",
    [0, 1_000, 2_000].map((atMs) => point(atMs)),
  );
  const live = [1_000, 2_000, 3_000, 4_000].map((atMs) => ({ atMs, strength: -75 }));
  const grown = withLive(history, live);
  expect(grown.seconds).toEqual([0, 1, 2, 3, 4]);
  expect(grown.mean).toEqual([-70, -70, -70, -75, -75]);
  expect(withLive(history, live.slice(0, 2))).toBe(history);
  expect(history.seconds).toEqual([0, 1, 2]);
});

test("no line is drawn over a live silence", () => {
  const history = historyOf(
    "raw",
    [0, 1_000].map((atMs) => point(atMs)),
  );
  const grown = withLive(history, [{ atMs: 500_000, strength: -75 }]);
  expect(grown.mean).toEqual([-70, -70, null, -75]);
  expect(withLive(historyOf("raw", []), [{ atMs: 5_000, strength: -75 }]).seconds).toEqual([5]);
});

test("what comes live has gaps by its own rhythm once that is known, whatever that of history is", () => {
  const history = historyOf(
    "1m",
    [0, 1, 2, 3, 4].map((minute) => point(minute * MINUTE_MS, -70, 60)),
  );
  const live = [250, 251, 252, 253, 268, 269].map((second) => ({ atMs: second * 1_000, strength: -75 }));
  expect(withLive(history, live).mean.slice(5)).toEqual([-75, -75, -75, -75, null, -75, -75]);
  // One of batches that come every ten seconds is no gap to the next.
  const batches = [250, 260, 270, 280, 290, 300].map((second) => ({ atMs: second * 1_000, strength: -75 }));
  expect(gapsIn(withLive(history, batches))).toBe(0);
});

test("nothing is drawn over what a lost connection may have missed, until history has it", () => {
  const history = historyOf(
    "raw",
    [0, 1_000].map((atMs) => point(atMs)),
  );
  const live = [
    { atMs: 2_000, strength: -75 },
    { atMs: 16_000, strength: null },
    { atMs: 30_000, strength: -76 },
  ];
  expect(withLive(history, live).mean).toEqual([-70, -70, -75, null, -76]);
  const filled = historyOf(
    "raw",
    Array.from({ length: 31 }, (_, second) => point(second * 1_000)),
  );
  expect(withLive(filled, live)).toBe(filled);
});

test("nothing is drawn over what history has only a part of", () => {
  const history = historyOf(
    "raw",
    [0, 1_000, 10_000, 11_000].map((atMs) => point(atMs)),
  );
  const live = [
    { atMs: 1_000, strength: -75 },
    { atMs: 8_000, strength: null },
    { atMs: 15_000, strength: -76 },
    { atMs: 16_000, strength: -77 },
  ];
  const grown = withLive(history, live);
  expect(grown.seconds.slice(-4)).toEqual([11, 13, 15, 16]);
  expect(grown.mean.slice(-4)).toEqual([-70, null, -76, -77]);
});

test("the gap of a lost connection is filled by what history has of it, each reading once", () => {
  const at = (atMs: number, strength: number | null = -75) => ({ atMs, strength });
  const live = [at(1_000), at(2_000), at(6_000, null), at(10_000), at(11_000)];
  const gap = { fromMs: 2_000, toMs: 10_000 };
  const readings = [2_000, 3_000, 3_000, 9_000, 10_000].map((atMs) => at(atMs, -80));
  expect(filled(live, readings, gap)).toEqual([
    at(1_000),
    at(2_000),
    at(3_000, -80),
    at(9_000, -80),
    at(10_000),
    at(11_000),
  ]);
});
