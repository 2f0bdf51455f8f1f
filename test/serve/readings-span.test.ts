import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ReadingsQuery } from "../../schemas/reading.ts";
import { encodeCursor, InvalidCursorError } from "../../src/domain/cursor.ts";
import { ProblemError } from "../../src/serve/problem.ts";
import { automaticStep, readingsPlace, STEP_MS } from "../../src/serve/readings-span.ts";

const NOW = Date.UTC(2026, 0, 31, 9, 30, 30);
const place = (query: object) => readingsPlace(ReadingsQuery.parse(query), NOW);
const HOUR = 3_600_000;

describe("the span of a readings query", () => {
  test.each([
    [5 * 60_000, "raw"],
    [HOUR, "1m"],
    [24 * HOUR, "5m"],
    [7 * 24 * HOUR, "1h"],
    [90 * 24 * HOUR, "1d"],
  ])("of %i ms is shown by %s", (spanMs, step) => {
    expect(automaticStep(spanMs)).toBe(step);
  });

  test("fits about 500 points, as finely as that allows", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 * STEP_MS["1d"] }), (spanMs) => {
        const step = automaticStep(spanMs);
        if (step !== "raw") expect(spanMs / STEP_MS[step]).toBeLessThanOrEqual(500);
      }),
    );
  });

  test("is the last hour unless said otherwise, begun at a whole bucket", () => {
    expect(place({})).toEqual({
      step: "1m",
      fromMs: Date.UTC(2026, 0, 31, 8, 30),
      toMs: NOW,
      skip: 0,
    });
    expect(place({ step: "raw" }).fromMs).toBe(NOW - HOUR);
  });

  test("must not be empty or turned round", () => {
    const at = new Date(NOW).toISOString();
    expect(() => place({ from: at, to: at })).toThrow(ProblemError);
  });

  test("goes on where a cursor says, also when the query says something else", () => {
    const cursor = encodeCursor({ step: "raw", fromMs: 5, toMs: 9, skip: 2 });
    expect(place({ cursor, step: "1d" })).toEqual({ step: "raw", fromMs: 5, toMs: 9, skip: 2 });
  });

  test.each(["", "bm9uc2Vuc2U", encodeCursor({ step: "raw" }), encodeCursor({ step: "raw", fromMs: 1.5 })])(
    "refuses %j as a cursor",
    (cursor) => {
      expect(() => readingsPlace({ limit: 50, step: "auto", cursor }, NOW)).toThrow(InvalidCursorError);
    },
  );
});
