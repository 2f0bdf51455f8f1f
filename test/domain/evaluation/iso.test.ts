import fc from "fast-check";
import { expect, test } from "vitest";
import { iso } from "../../../src/domain/evaluation/iso.ts";

const YEAR_9999_END_MS = 253_402_300_799_999;

test("a time is written as Date writes it, from 1970 to the end of the year 9999", () => {
  const time = fc.oneof(
    fc.integer({ min: 0, max: YEAR_9999_END_MS }),
    fc.integer({ min: 0, max: 200 }).map((n) => n * 43_200_000 - (n % 2)),
    fc.constantFrom(0, 1, 999, 1_000, 59_999, 86_399_999, 86_400_000, YEAR_9999_END_MS),
  );
  fc.assert(
    fc.property(fc.array(time, { minLength: 1, maxLength: 20 }), (times) => {
      const real = times.filter((timeMs) => timeMs >= 0);
      expect(real.map(iso)).toEqual(real.map((timeMs) => new Date(timeMs).toISOString()));
    }),
    { numRuns: 2_000 },
  );
});

test("what is no time is refused", () => {
  expect(() => iso(Number.NaN)).toThrow(RangeError);
});
