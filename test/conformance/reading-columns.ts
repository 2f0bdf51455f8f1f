import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readingLine } from "../../src/domain/reading-line.ts";
import { readingsIn } from "../support/readings.ts";
import { bytes, signalId } from "../support/rows.ts";
import type { StartedTimeSeries } from "./time-series.ts";

const START = Date.UTC(2026, 0, 31, 9);
/** Coprime with the numbers of signals below, so that ids come in no order. */
const STRIDE = 7_919;

interface Case {
  /** The number of the first signal. */
  readonly first: number;
  readonly signals: number;
  readonly rows: number;
}

/** Row `i` of a case, at a millisecond of its own: later rows of a signal may be older. */
const rowOf = ({ signals, rows }: Case, i: number) => ({
  signal: (i * STRIDE) % signals,
  atMs: START + ((i * STRIDE) % rows),
  strength: -20 - (i % 1_000) / 8,
});

/** How readings are written whose number, or number of signals, steps over a width of the encoding. */
export const readingColumnsConformance = (name: string, start: () => Promise<StartedTimeSeries>): void => {
  describe(`columns of readings: ${name}`, () => {
    let engine: StartedTimeSeries;
    beforeAll(async () => {
      engine = await start();
    });
    afterAll(() => engine.stop());

    test.each<Case>([
      { first: 0, signals: 1, rows: 1 },
      { first: 1, signals: 127, rows: 128 },
      { first: 200, signals: 256, rows: 2_000 },
      { first: 500, signals: 257, rows: 300 },
      { first: 100_000, signals: 65_536, rows: 70_000 },
      { first: 200_000, signals: 65_537, rows: 300_000 },
    ])("$rows readings of $signals signals are each stored as they were", async (of) => {
      const { timeSeries } = engine;
      const line = (i: number) => {
        const { signal, atMs, strength } = rowOf(of, i);
        return readingLine(signalId(of.first + signal), atMs, strength);
      };
      const blocks = [0, 1, 2].map((third) => {
        const [from, to] = [Math.ceil((of.rows * third) / 3), Math.ceil((of.rows * (third + 1)) / 3)];
        return bytes(Array.from({ length: to - from }, (_, i) => line(from + i)).join(""));
      });
      // Two dictionaries in one insert.
      const halves = [...readingsIn(blocks.slice(0, 2)), ...readingsIn(blocks.slice(2))];
      const before = await timeSeries.readingCounts();
      await timeSeries.insertReadings(`columns ${of.signals}`, halves);
      // Whoever inserts the range again after a crash has come to know signals at other times, and in another order.
      const seenBefore = blocks.toReversed();
      const again = readingsIn([...seenBefore, ...blocks]).slice(seenBefore.length);
      await timeSeries.insertReadings(`columns ${of.signals}`, again);
      const after = await timeSeries.readingCounts();
      expect(after.raw - before.raw).toBe(of.rows);
      expect(after.minute - before.minute).toBe(of.rows);
      const every = Math.ceil(of.signals / 40);
      for (let signal = 0; signal < of.signals; signal += every) {
        const wanted = Array.from({ length: of.rows }, (_, i) => rowOf(of, i)).filter(
          (row) => row.signal === signal,
        );
        const stored = await timeSeries.rawReadings({
          signalId: signalId(of.first + signal),
          fromMs: START,
          toMs: START + of.rows,
          limit: 10_000,
          skipAtFrom: 0,
        });
        expect(stored.map(({ atMs, strength }) => ({ signal, atMs, strength }))).toEqual(
          wanted.sort((a, b) => a.atMs - b.atMs),
        );
      }
    });
  });
};
