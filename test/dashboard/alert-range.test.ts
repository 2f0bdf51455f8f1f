import { expect, test } from "vitest";
import { rangeAround } from "../../src/dashboard/pages/alerts/alert-range.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const fired = Date.parse("2026-01-01T12:00:00.000Z");
const alert = { firedAt: "2026-01-01T12:00:00.000Z", pendingSince: null, resolvedAt: null };
const resolved = { ...alert, resolvedAt: "2026-01-01T12:10:20.000Z" };

test("an alert that fires is shown up to now, and goes on with it", () => {
  for (const minutes of [5, 6, 600])
    expect(rangeAround(alert, fired + minutes * MINUTE_MS)).toEqual({
      fromMs: fired - 15 * MINUTE_MS,
      toMs: fired + minutes * MINUTE_MS,
      isLive: true,
    });
});

test("one that has ended goes on for a quarter of an hour, to the minute", () => {
  const afterwards = rangeAround(resolved, fired + 20 * MINUTE_MS);
  expect(afterwards).toMatchObject({ toMs: fired + 20 * MINUTE_MS, isLive: true });
  for (const nowMs of [fired + 26 * MINUTE_MS, fired + DAY_MS])
    expect(rangeAround(resolved, nowMs)).toMatchObject({ toMs: fired + 26 * MINUTE_MS, isLive: false });
});

test("one that fires for days shows how it began, and then stands still", () => {
  const end = fired + DAY_MS + 15 * MINUTE_MS;
  expect(rangeAround(alert, fired + 3 * DAY_MS)).toMatchObject({ toMs: end, isLive: false });
  expect(rangeAround(alert, end - 1)).toMatchObject({ toMs: end - 1, isLive: true });
});

test("one that has just begun has a minute at the least", () => {
  expect(rangeAround(alert, fired + 1_000)).toMatchObject({ toMs: fired + MINUTE_MS, isLive: true });
});
