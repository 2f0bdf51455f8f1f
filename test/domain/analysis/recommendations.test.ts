import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Recommendation } from "../../../schemas/analysis.ts";
import { figuresOf } from "../../../src/domain/analysis/figures.ts";
import { judge, readingLog } from "../../../src/domain/analysis/judge.ts";
import { type JudgedSettings, recommendationsOf } from "../../../src/domain/analysis/recommendations.ts";
import type { TimedStrength } from "../../../src/domain/analysis/statistics.ts";
import { walkLines } from "../../support/walk.ts";

const START = Date.UTC(2026, 0, 31, 9);
const MINUTE = 60_000;
/** Fails below -80 dBm, clears at -77.5. */
const SETTINGS: JudgedSettings = {
  threshold: 0.4,
  hysteresis: 0.05,
  floorDbm: -100,
  ceilingDbm: -50,
  noDataAfterSeconds: 300,
};

const everyMinute = (strengths: readonly number[]): TimedStrength[] =>
  strengths.map((strength, i) => ({ atMs: START + i * MINUTE, strength }));
const recommended = (readings: readonly TimedStrength[], settings: Partial<JudgedSettings> = {}) => {
  const span = { fromMs: START, toMs: readings.at(-1)?.atMs ?? START };
  const used = { ...SETTINGS, ...settings };
  return recommendationsOf(figuresOf(readings, used, span), used);
};
const kinds = (readings: readonly TimedStrength[], settings: Partial<JudgedSettings> = {}) =>
  recommended(readings, settings).map(({ kind }) => kind);
const changed = (
  settings: JudgedSettings,
  {
    threshold = settings.threshold,
    hysteresis = settings.hysteresis,
    floorDbm = settings.floorDbm,
  }: Recommendation["change"] = {},
) => ({ ...settings, threshold, hysteresis, floorDbm });
/** Between 0 and 1, the same at every run. */
const noise = (i: number) => ((i * 7_919 + 104_729) % 1_000) / 1_000;

describe("against flapping", () => {
  test("a wider hysteresis is recommended that stops it, with the events before and after", () => {
    // Good for hours, then a while around the limit.
    const around = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? -81 : -77));
    const readings = everyMinute([...Array(300).fill(-65), ...around, ...Array(300).fill(-65)]);
    const [recommendation] = recommended(readings);
    const change = { hysteresis: 0.1 };
    expect(recommendation).toMatchObject({ kind: "hysteresis", change, events: { before: 40, after: 2 } });
    const log = readingLog(readings);
    expect(judge(log, SETTINGS)).toHaveLength(40);
    expect(judge(log, { ...SETTINGS, ...change })).toHaveLength(2);
  });

  test("a lower threshold is recommended where hysteresis would leave the link failed for long", () => {
    // Mostly at -79, with short dips to -82 and peaks to -55 that clear any hysteresis.
    const readings = everyMinute(
      Array.from({ length: 400 }, (_, i) => (i % 40 === 7 ? -82 : i % 40 === 9 ? -55 : -79)),
    );
    const found = recommended(readings, { hysteresis: 0 });
    const [first] = found;
    expect(first?.events?.after ?? 1).toBeLessThanOrEqual((first?.events?.before ?? 0) / 4);
    expect(first).toMatchObject({ kind: "threshold", change: { threshold: 0.35 } });
  });

  test("nothing is recommended for failures that are deep and long, nor for few", () => {
    const outages = Array.from({ length: 600 }, (_, i) => (Math.floor(i / 60) % 2 === 0 ? -60 : -99));
    expect(kinds(everyMinute(outages))).toEqual([]);
    expect(kinds(everyMinute([-60, -81, -60, -81, -60]))).toEqual([]);
  });

  test("a recommendation always does what it says, under the evaluator itself", () => {
    const walk = fc.array(fc.integer({ min: -950, max: -600 }), { minLength: 3, maxLength: 120 });
    fc.assert(
      fc.property(walk, (tenths) => {
        const readings = everyMinute(tenths.map((n) => n / 10));
        for (const { kind, change, events } of recommended(readings)) {
          if (kind !== "hysteresis" && kind !== "threshold") continue;
          const log = readingLog(readings);
          expect(judge(log, SETTINGS)).toHaveLength(events?.before ?? -1);
          expect(judge(log, changed(SETTINGS, change))).toHaveLength(events?.after ?? -1);
          expect(events?.after).toBeLessThan(events?.before ?? 0);
        }
      }),
    );
  });
});

describe("of a drifting link", () => {
  const falling = (dbPerHour: number, hours: number, from = -60) =>
    everyMinute(
      Array.from({ length: hours * 60 }, (_, i) => from + (dbPerHour * i) / 60 + (noise(i) - 0.5) * 2),
    );

  test("is told when it will reach the limit at which it fails", () => {
    const [drift] = recommended(falling(-0.5, 24));
    expect(drift?.kind).toBe("drift");
    // From -60 dBm to the limit of -80 at half a dB an hour: 40 hours from the start.
    const hours = (Date.parse(drift?.at ?? "") - START) / 3_600_000;
    expect(Math.abs(hours - 40)).toBeLessThan(1);
    expect(drift?.message).toContain("-80 dBm");
  });

  test("nothing is told of one that rises, stands, has fallen once, or would take too long", () => {
    expect(kinds(falling(0.5, 24))).toEqual([]);
    expect(kinds(falling(0, 24))).toEqual([]);
    expect(kinds(falling(-0.05, 24))).toEqual([]);
    const step = Array.from({ length: 1_440 }, (_, i) => (i < 700 ? -60 : -70) + noise(i));
    expect(kinds(everyMinute(step))).toEqual([]);
    expect(kinds(falling(-0.5, 24), { threshold: 0 })).toEqual([]);
  });
});

describe("the no-data interval", () => {
  const every = (seconds: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ atMs: START + i * seconds * 1_000, strength: -60 }));

  test("that is shorter than the feed's usual pauses is to be longer, with the false alarms it made", () => {
    expect(recommended(every(900, 100))).toMatchObject([
      { kind: "noData", change: { noDataAfterSeconds: 2_700 }, events: { before: 198, after: 0 } },
    ]);
  });

  test("that is far longer than a regular feed needs is to be shorter", () => {
    expect(recommended(every(1, 1_000))).toMatchObject([
      { kind: "noData", change: { noDataAfterSeconds: 10 }, events: { before: 0, after: 0 } },
    ]);
  });

  test("is left alone where it fits, is off, or little is known", () => {
    expect(kinds(every(60, 200))).toEqual([]);
    expect(kinds(every(900, 100), { noDataAfterSeconds: null })).toEqual([]);
    expect(kinds(every(900, 20))).toEqual([]);
  });
});

test("nothing is said of no reading, of one, of constant ones", () => {
  expect(kinds([])).toEqual([]);
  expect(kinds(everyMinute([-60]))).toEqual([]);
  expect(kinds(everyMinute(Array(500).fill(-60)))).toEqual([]);
});

test("a walk around a real gateway, where present, flaps by default and would not with what is recommended", (context) => {
  const lines = walkLines();
  if (lines === null) return context.skip("its data is not beside the checkout");
  const readings = lines.flatMap((line): TimedStrength[] => {
    const heard = JSON.parse(line).uplink_message?.rx_metadata?.[0];
    return heard === undefined ? [] : [{ atMs: Date.parse(heard.time), strength: heard.rssi }];
  });
  expect(readings).toHaveLength(511);
  const settings = { ...SETTINGS, threshold: 0.2 };
  const flapping = recommended(readings, settings).find(({ kind }) => kind !== "drift" && kind !== "noData");
  const log = readingLog(readings);
  expect(flapping?.events?.before).toBe(judge(log, settings).length);
  expect(judge(log, changed(settings, flapping?.change))).toHaveLength(flapping?.events?.after ?? -1);
  expect(flapping?.events?.after ?? 1).toBeLessThan((flapping?.events?.before ?? 0) / 2);
});

describe("of the scale and the link itself", () => {
  test("a lower floor is recommended that tells weak readings apart and fails at the same strength", () => {
    // A third below the floor of -100 dBm, down to -117.
    const readings = everyMinute(
      Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? -101 - (i % 17) : -90)),
    );
    const found = recommended(readings).find(({ kind }) => kind === "noiseFloor");
    expect(found?.message).toContain("100 of 300 readings are below -100 dBm");
    // -80 dBm of -120 to -50 dBm, and 2.5 dB of 70.
    expect(found?.change).toEqual({ floorDbm: -120, threshold: 0.5714, hysteresis: 0.0357 });
    const log = readingLog(readings);
    expect(judge(log, changed(SETTINGS, found?.change))).toEqual(judge(log, SETTINGS));
    const unwatched = recommended(readings, { threshold: 0 }).find(({ kind }) => kind === "noiseFloor");
    expect(unwatched?.change).toEqual({ floorDbm: -120 });
  });

  test("the floor is left where few readings are below it, or it is as low as can be", () => {
    const few = Array.from({ length: 300 }, (_, i) => (i % 20 === 0 ? -110 : -70));
    expect(kinds(everyMinute(few))).not.toContain("noiseFloor");
    expect(kinds(everyMinute(Array(19).fill(-110)))).not.toContain("noiseFloor");
    expect(kinds(everyMinute(Array(50).fill(-100)))).not.toContain("noiseFloor");
    expect(kinds(everyMinute(Array(50).fill(-200)), { floorDbm: -200 })).toEqual([]);
  });

  test("a link that jumps is told as such, with by how much, and one that fades or steps is not", () => {
    const jumping = everyMinute(Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? -60 : -68)));
    const found = recommended(jumping).find(({ kind }) => kind === "instability");
    expect(found?.message).toContain("differ by 8 dB or more");
    expect(found).not.toHaveProperty("change");
    const fading = everyMinute(Array.from({ length: 60 }, (_, i) => -60 - 5 * noise(i)));
    expect(kinds(fading)).not.toContain("instability");
    const stepping = everyMinute(Array.from({ length: 60 }, (_, i) => (i % 10 < 5 ? -55 : -75)));
    expect(kinds(stepping)).not.toContain("instability");
    expect(kinds(everyMinute([-60, -70, -60, -70]))).toEqual([]);
  });
});
