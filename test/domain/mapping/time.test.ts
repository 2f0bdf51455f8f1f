import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { timeOf } from "../../../src/domain/mapping/time.ts";

describe("the time of a reading", () => {
  it("is read from RFC 3339 in any precision and offset, cut to milliseconds", () => {
    const expected = Date.parse("2022-11-26T18:48:17.572Z");
    for (const text of [
      "2022-11-26T18:48:17.572Z",
      "2022-11-26T18:48:17.572549967Z",
      "2022-11-26t18:48:17.572z",
      "2022-11-26 15:48:17.5729-03:00",
      "2022-11-27T00:18:17.572+05:30",
    ]) {
      expect(timeOf(text), text).toBe(expected);
    }
    expect(timeOf("2022-11-26T18:48:17Z")).toBe(Date.parse("2022-11-26T18:48:17.000Z"));
    expect(timeOf("2016-12-31T23:59:60Z")).toBe(Date.parse("2017-01-01T00:00:00.000Z"));
    expect(timeOf("2024-02-29T00:00:00Z")).toBe(Date.parse("2024-02-29T00:00:00.000Z"));
  });

  it("comes back from every date as it is written", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date(Date.UTC(9999, 11, 31)), noInvalidDate: true }),
        (date) => {
          expect(timeOf(date.toISOString())).toBe(date.getTime());
        },
      ),
    );
  });

  it("is read from an epoch in s, ms, µs or ns, told apart by size, also in a string", () => {
    fc.assert(
      fc.property(fc.integer({ min: 946_684_800_000, max: 4_102_444_800_000 }), (ms) => {
        const seconds = Math.floor(ms / 1000);
        expect(timeOf(seconds)).toBe(seconds * 1000);
        expect(timeOf(ms / 1000)).toBe(ms);
        expect(timeOf(ms)).toBe(ms);
        expect(timeOf(ms * 1000)).toBe(ms);
        expect(timeOf(String(ms))).toBe(ms);
        expect(timeOf(`${ms}000000`)).toBe(ms);
      }),
    );
  });

  it("is not a number for all else", () => {
    for (const bad of [
      "",
      "soon",
      "2022-11-26",
      "2022-13-01T00:00:00Z",
      "2023-02-29T00:00:00Z",
      "2022-11-26T24:00:00Z",
      "2022-11-26T18:48:17",
      "2022-11-26T18:48:17+0300",
      "0x10",
      "Infinity",
      -1,
      true,
      {},
      [],
      "9".repeat(100),
    ]) {
      expect(timeOf(bad), JSON.stringify(bad)).toBeNaN();
    }
  });
});
