import { describe, expect, test } from "vitest";
import { rangeAsked, rangeOf, shifted, zoomed } from "../../src/dashboard/chart/range.ts";

const NOW = Date.UTC(2026, 0, 2, 12);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const iso = (ms: number) => new Date(ms).toISOString();
const past = (fromMs: number, toMs: number) => ({ fromMs, toMs, isLive: false });
const lastHour = rangeOf({}, NOW);

describe("an address", () => {
  test("names a span that ends now by any length, or both its ends", () => {
    expect(rangeAsked({ last: "1h" })).toEqual({ last: "1h" });
    expect(rangeOf(rangeAsked({ last: "7200s" }), NOW)).toEqual({
      fromMs: NOW - 2 * HOUR_MS,
      toMs: NOW,
      isLive: true,
    });
    const ends = { from: iso(NOW - HOUR_MS), to: iso(NOW) };
    expect(rangeOf(rangeAsked(ends), NOW + 1)).toEqual(past(NOW - HOUR_MS, NOW));
  });

  test("that makes no sense is the usual span", () => {
    for (const last of ["", "h", "1", "-1h", "1y", "1 h", "0h", "9s", "999999999d", 5, null])
      expect([last, rangeAsked({ last })]).toEqual([last, {}]);
    expect(rangeAsked({ from: iso(NOW), to: iso(NOW) })).toEqual({});
    expect(rangeOf({}, NOW)).toEqual({ fromMs: NOW - HOUR_MS, toMs: NOW, isLive: true });
  });
});

describe("earlier and later", () => {
  test("move by a share of the length", () => {
    expect(shifted(lastHour, -0.5, NOW)).toEqual({
      from: iso(NOW - 1.5 * HOUR_MS),
      to: iso(NOW - 0.5 * HOUR_MS),
    });
    const longAgo = past(NOW - 10 * HOUR_MS, NOW - 9 * HOUR_MS);
    expect(shifted(longAgo, 0.5, NOW)).toEqual({
      from: iso(NOW - 9.5 * HOUR_MS),
      to: iso(NOW - 8.5 * HOUR_MS),
    });
  });

  test("later comes back to now, and goes on with it from there", () => {
    expect(shifted(past(NOW - 1.2 * HOUR_MS, NOW - 0.2 * HOUR_MS), 0.5, NOW)).toEqual({ last: "1h" });
    expect(shifted(lastHour, 0.5, NOW)).toEqual({ last: "1h" });
    const there = rangeOf(rangeAsked({ ...shifted(lastHour, -0.5, NOW) }), NOW);
    expect(shifted(there, 0.5, NOW + 5_000)).toEqual({ last: "1h" });
    const odd = past(NOW - 40 * MINUTE_MS, NOW - 3 * MINUTE_MS);
    expect(shifted(odd, 0.5, NOW)).toEqual({ last: `${37 * 60}s` });
  });
});

describe("longer and shorter", () => {
  test("a span that ends now goes on doing so", () => {
    expect(zoomed(lastHour, 6, NOW)).toEqual({ last: "6h" });
    expect(zoomed(lastHour, 2, NOW)).toEqual({ last: "7200s" });
    expect(zoomed(lastHour, 0.25, NOW + 20_000)).toEqual({ last: "15m" });
  });

  test("another keeps its middle, until it reaches now", () => {
    const there = past(NOW - 5 * HOUR_MS, NOW - 3 * HOUR_MS);
    expect(zoomed(there, 0.5, NOW)).toEqual({ from: iso(NOW - 4.5 * HOUR_MS), to: iso(NOW - 3.5 * HOUR_MS) });
    expect(zoomed(there, 3, NOW)).toEqual({ from: iso(NOW - 7 * HOUR_MS), to: iso(NOW - HOUR_MS) });
    expect(zoomed(there, 12, NOW)).toEqual({ last: "24h" });
  });

  test("no shorter and no longer than can be shown", () => {
    expect(zoomed(rangeOf({ last: "10s" }, NOW), 0.5, NOW)).toEqual({ last: "10s" });
    expect(zoomed(rangeOf({ last: "1000d" }, NOW), 2, NOW)).toEqual({ last: `${1_000 * 86_400}s` });
    expect(rangeAsked({ last: `${1_000 * 86_400}s` })).toEqual({ last: `${1_000 * 86_400}s` });
  });
});
