import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { pretendBrowser } from "./browser.ts";

let historyOf: typeof import("../../src/dashboard/chart/history.ts").historyOf;
let filled: typeof import("../../src/dashboard/chart/history.ts").filled;
let withLive: typeof import("../../src/dashboard/chart/history.ts").withLive;
beforeAll(async () => {
  pretendBrowser();
  ({ filled, historyOf, withLive } = await import("../../src/dashboard/chart/history.ts"));
});

const point = (atMs: number, mean = -70) => ({ atMs, mean, min: mean - 1, max: mean + 1 });

test("a step that is missing many times over is a gap, with a row of nothing in its middle", () => {
  const minutes = [0, 1, 2, 3, 10, 11].map((minute) => point(minute * 60_000));
  const history = historyOf("1m", minutes);
  expect(history.seconds).toEqual([0, 60, 120, 180, 390, 600, 660]);
  expect(history.mean).toEqual([-70, -70, -70, -70, null, -70, -70]);
  expect(history.min[4]).toBeNull();
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
