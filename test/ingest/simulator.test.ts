import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SimulatorScenario } from "../../schemas/source.ts";
import { SimulatedStrengths } from "../../src/sources/simulated-strength.ts";
import { TestIngest } from "../support/ingest.ts";
import { until } from "../support/until.ts";

/** The strengths of each signal, one a second. */
const strengths = (scenario: SimulatorScenario, signals: number, seconds: number, seed = 1): number[][] => {
  const simulated = new SimulatedStrengths({ scenario, signals, seed });
  const made: number[][] = Array.from({ length: signals }, () => []);
  for (let second = 0; second < seconds; second++) {
    for (const [signal, own] of made.entries()) own.push(simulated.next(signal, second));
  }
  return made;
};

const dips = (own: readonly number[]): number[] =>
  own
    .map((dbm) => (dbm < -50 ? "x" : " "))
    .join("")
    .split(/ +/)
    .filter((dip) => dip !== "")
    .map((dip) => dip.length);

describe("simulated strengths", () => {
  it("are the same for the same seed, and others for another", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (seed) => {
        expect(strengths("outages", 3, 50, seed)).toEqual(strengths("outages", 3, 50, seed));
        expect(strengths("outages", 3, 50, seed)).not.toEqual(
          strengths("outages", 3, 50, (seed + 1) % 2 ** 32),
        );
      }),
    );
  });

  it("idle around -42 dBm when steady", () => {
    for (const own of strengths("steady", 20, 600)) {
      expect(Math.max(...own)).toBeLessThan(-40);
      expect(Math.min(...own)).toBeGreaterThan(-44);
      expect(own.reduce((sum, dbm) => sum + dbm, 0) / own.length).toBeCloseTo(-42, 0);
      expect(new Set(own).size).toBeGreaterThan(10);
    }
  });

  it("dip below -50 dBm about once a minute for a few seconds under outages, each signal at its own time", () => {
    const made = strengths("outages", 20, 3_600);
    for (const own of made) {
      const found = dips(own);
      expect(found.length).toBeGreaterThan(48);
      expect(found.length).toBeLessThan(74);
      expect(Math.max(...found)).toBeLessThan(8);
    }
    expect(new Set(made.map((own) => own.findIndex((dbm) => dbm < -50))).size).toBeGreaterThan(10);
  });

  it("go down to the floor and come back when fading", () => {
    for (const own of strengths("fading", 5, 600)) {
      expect(Math.min(...own)).toBeLessThan(-90);
      expect(Math.max(...own)).toBeGreaterThan(-44);
    }
  });
});

describe("a simulator source", () => {
  it("makes readings of its signals in turn, at about the rate asked for", async () => {
    const ingest = await TestIngest.start();
    const id = await ingest.create({ type: "simulator", signals: 5, readingsPerSecond: 1_000 });
    const counters = await until("a second's readings", async () => {
      const status = await ingest.status(id);
      return (status?.counters.readings ?? 0) > 1_000 ? status?.counters : null;
    });
    expect(counters.readings).toBeLessThan(4_000);
    const { items } = await ingest.control.signals.list(ingest.accountId, { limit: 10, sort: "name" });
    expect(items.map(({ definition }) => definition.name)).toEqual([
      "demo-01",
      "demo-02",
      "demo-03",
      "demo-04",
      "demo-05",
    ]);
  });
});
