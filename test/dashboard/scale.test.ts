import fc from "fast-check";
import { expect, test } from "vitest";
import { widened } from "../../src/dashboard/chart/scale.ts";

const own = { lowDbm: -110, highDbm: -50 };
const nothing = { min: [], max: [] };
const limit = (firesAtDbm: number, clearsAtDbm = firesAtDbm) => [{ firesAtDbm, clearsAtDbm }];

test("a signal's own span is enough for what is within it", () => {
  expect(widened(own, limit(-80, -75), { min: [-100, null], max: [-60, null] })).toEqual(own);
});

test("it reaches to the next ten beyond what history has, and beyond the limit", () => {
  expect(widened(own, [], { min: [-60], max: [-41.5] })).toEqual({ lowDbm: -110, highDbm: -40 });
  expect(widened(own, limit(-30, -25), nothing)).toEqual({ lowDbm: -110, highDbm: -20 });
  expect(widened(own, [...limit(-30, -35), ...limit(-117)], nothing)).toEqual({ lowDbm: -120, highDbm: -30 });
  expect(widened(own, limit(-117), nothing)).toEqual({ lowDbm: -120, highDbm: -50 });
  expect(widened({ lowDbm: -107, highDbm: -52 }, [], nothing)).toEqual({ lowDbm: -110, highDbm: -50 });
});

test("what cannot be measured does not stretch it", () => {
  for (const value of [1e9, Number.POSITIVE_INFINITY])
    expect(widened(own, limit(value), nothing)).toEqual({ lowDbm: -110, highDbm: 50 });
  expect(widened(own, limit(-1e9), nothing)).toEqual({ lowDbm: -200, highDbm: -50 });
  expect(widened(own, limit(-80, Number.NaN), nothing)).toEqual(own);
});

test("all that can be measured is on it", () => {
  const dbm = fc.integer({ min: -2_000, max: 500 }).map((tenths) => tenths / 10);
  fc.assert(
    fc.property(fc.array(dbm), dbm, (values, fires) => {
      const { lowDbm, highDbm } = widened(own, limit(fires), { min: values, max: values });
      for (const value of [...values, fires, own.lowDbm, own.highDbm]) {
        expect(value).toBeGreaterThanOrEqual(lowDbm);
        expect(value).toBeLessThanOrEqual(highDbm);
      }
      expect([lowDbm % 10, highDbm % 10].map(Math.abs)).toEqual([0, 0]);
    }),
  );
});
