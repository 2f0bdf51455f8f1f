import { expect, test } from "vitest";
import { HEIGHT, MINUTE_MS, shapesOf } from "../../src/dashboard/pages/signals/sparkline-shapes.ts";

const own = { floorDbm: -100, ceilingDbm: -50 };
const minute = (n: number, { min = -60, mean = -60, max = -60 } = {}) => ({
  atMs: n * MINUTE_MS,
  count: 60,
  min,
  mean,
  max,
});
const heights = (points: string) => points.split(" ").map((point) => Number(point.split(",")[1]));

test("a dip that is no more than a second of a minute is seen in the band, and not in the mean", () => {
  const minutes = [minute(0), minute(1, { min: -90, mean: -60.5 }), minute(2)];
  const [shape] = shapesOf(minutes, 0, own);
  expect(Math.max(...heights(shape?.band ?? ""))).toBeCloseTo(HEIGHT * 0.8, 1);
  expect(Math.max(...heights(shape?.line ?? ""))).toBeCloseTo(HEIGHT * 0.21, 1);
});

test("what lies beyond a signal's own scale is drawn on a wider one, and not flat along the edge", () => {
  const minutes = [
    minute(0, { min: -70, mean: -43, max: -41 }),
    minute(1, { min: -44, mean: -42, max: -41 }),
  ];
  const [shape] = shapesOf(minutes, 0, own);
  const drawn = heights(shape?.line ?? "");
  expect(new Set(drawn).size).toBe(2);
  expect(Math.min(...drawn)).toBeGreaterThan(0);
});

test("over a gap nothing is drawn, and a lone minute is a dot", () => {
  const shapes = shapesOf([minute(0), minute(1), minute(2), minute(30)], 0, own);
  expect(shapes.map(({ line }) => new Set(line.split(" ")).size)).toEqual([3, 1]);
});
