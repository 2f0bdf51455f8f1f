import { expect, test } from "vitest";
import { rangeShown, spanHolding } from "../../src/dashboard/pages/alerts/tried-span.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 0, 31, 9);
const ago = (hours: number) => NOW - hours * HOUR;

test("a rule is tried first on the shortest span that holds the signal's history, and not unasked on a month", () => {
  const spans = [0.1, 1, 1.1, 6, 7, 25, 24 * 7, 24 * 20].map((hours) => spanHolding(ago(hours), NOW));
  expect(spans).toEqual(["1h", "1h", "6h", "6h", "24h", "7d", "7d", "7d"]);
  // Those of a signal that has just been made are still to come.
  expect(spanHolding(null, NOW)).toBe("1h");
});

test("what is shown begins with the first reading, and is an hour at least", () => {
  const from = (first: number | null) => rangeShown("24h", first, NOW).fromMs;
  expect(from(ago(30))).toBe(ago(24));
  expect(from(ago(3))).toBe(ago(3));
  expect(from(ago(0.2))).toBe(ago(1));
  expect(from(null)).toBe(ago(24));
});
