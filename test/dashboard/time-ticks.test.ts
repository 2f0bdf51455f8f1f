import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pretendBrowser } from "./browser.ts";

let ticks: typeof import("../../src/dashboard/chart/time-ticks.ts");
const zoneBefore = process.env.TZ;
beforeAll(async () => {
  pretendBrowser();
  ticks = await import("../../src/dashboard/chart/time-ticks.ts");
});
afterAll(() => {
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
});

const HOUR_MS = 3_600_000;
/** A day on which the clock changes, and one before and after it. */
const CHANGES = [
  ["Europe/Paris", "2026-03-29"],
  ["Europe/Paris", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  // By half an hour.
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Australia/Lord_Howe", "2026-10-04"],
] as const;

describe.each(CHANGES)("in %s around %s", (zone, day) => {
  test("days begin at midnight, however long they are", () => {
    process.env.TZ = zone;
    const middle = Date.parse(`${day}T12:00:00Z`);
    const times = ticks.tickTimes(middle - 72 * HOUR_MS, middle + 72 * HOUR_MS, "local");
    expect(times.length).toBeGreaterThanOrEqual(5);
    for (const time of times) {
      const local = new Date(time);
      expect([local.getHours(), local.getMinutes()]).toEqual([0, 0]);
    }
    expect(new Set(times.map((time) => new Date(time).toDateString())).size).toBe(times.length);
  });

  test("hours are full ones by the clock on the wall, each labelled as that clock has it", () => {
    process.env.TZ = zone;
    const from = Date.parse(`${day}T12:00:00Z`) - 36 * HOUR_MS;
    for (let start = from; start < from + 48 * HOUR_MS; start += 6 * HOUR_MS) {
      const times = ticks.tickTimes(start, start + 6 * HOUR_MS, "local");
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      for (const time of times) {
        expect(new Date(time).getMinutes()).toBe(0);
        const hour = String(new Date(time).getHours());
        const wall = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "numeric" }).format(time);
        expect(Number(wall)).toBe(Number(hour));
      }
    }
  });
});

test("in UTC they are what UTC has, whatever the zone of the machine", () => {
  process.env.TZ = "Australia/Lord_Howe";
  const from = Date.parse("2026-04-04T00:00:00Z");
  const times = ticks.tickTimes(from, from + 6 * 24 * HOUR_MS, "utc");
  expect(times).toEqual([0, 1, 2, 3, 4, 5, 6].map((day) => from + day * 24 * HOUR_MS));
});

test.each([
  ["utc", "UTC"],
  ["local", "America/New_York"],
] as const)("of a few days in %s, midnights have their date, and noons the hour", (zone, timeZone) => {
  process.env.TZ = timeZone;
  // Around a clock change in New York.
  const from = Date.parse("2026-03-07T06:30:00Z");
  for (const days of [2.1, 3, 4]) {
    const spanMs = days * 24 * HOUR_MS;
    const times = ticks.tickTimes(from, from + spanMs, zone);
    const texts = times.map((time) => ticks.tickText(time, spanMs, zone));
    const hour = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "numeric", hourCycle: "h23" });
    times.forEach((time, n) => {
      const isNoon = hour.format(time) === "12";
      expect([isNoon, texts[n]]).toEqual([
        isNoon,
        isNoon ? expect.stringContaining("12:00") : expect.not.stringContaining(":"),
      ]);
    });
    const dates = texts.filter((text) => !text.includes(":"));
    expect(dates.length).toBeGreaterThanOrEqual(2);
    expect(new Set(dates).size).toBe(dates.length);
  }
});

test("on a narrow chart there are as few as have room", () => {
  const from = Date.parse("2026-04-04T00:10:00Z");
  expect([200, 400, 2_000].map(ticks.ticksOn)).toEqual([2, 4, 8]);
  const shown = (most: number) => ticks.tickTimes(from, from + HOUR_MS, "utc", most).map((at) => at - from);
  expect(shown(2)).toEqual([20, 50].map((minute) => minute * 60_000));
  expect(shown(4)).toEqual([5, 20, 35, 50].map((minute) => minute * 60_000));
});
