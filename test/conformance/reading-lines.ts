import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readingLine } from "../../src/domain/reading-line.ts";
import type { ReadingLinesQuery, TimeSeries } from "../../src/ports/time-series.ts";
import { readingsIn } from "../support/readings.ts";
import { bytes, signalId } from "../support/rows.ts";
import type { StartedTimeSeries } from "./time-series.ts";

const START = Date.UTC(2026, 0, 31, 9);
const HOUR = 3_600_000;
/** Across months, two readings of each time, in no order: neither in an insert nor between two. */
const readings = Array.from({ length: 600 }, (_, i) => ({
  signal: 1 + (i % 3),
  atMs: START + ((i * 7_919) % 300) * 10 * 60_000,
  strength: -50 - ((i * 31) % 40) - (i % 7) / 10_000,
}));
type Stored = (typeof readings)[number];

const lineOf = ({ signal, atMs, strength }: Stored): string => readingLine(signalId(signal), atMs, strength);
const sorted = (some: readonly Stored[]): string[] =>
  [...some]
    .sort((a, b) => a.signal - b.signal || a.atMs - b.atMs || a.strength - b.strength)
    .map((reading) => lineOf(reading).trimEnd());

/** Raw readings as a stream: the same whatever the size of its pieces. */
export const readingLinesConformance = (name: string, start: () => Promise<StartedTimeSeries>): void => {
  describe(`a stream of readings: ${name}`, () => {
    let engine: StartedTimeSeries;
    let timeSeries: TimeSeries;
    beforeAll(async () => {
      engine = await start();
      timeSeries = engine.timeSeries;
      for (const half of [readings.slice(0, 250), readings.slice(250)])
        await timeSeries.insertReadings(
          `lines ${half.length}`,
          readingsIn([bytes(half.map(lineOf).join(""))]),
        );
    });
    afterAll(() => engine.stop());

    const never = new AbortController().signal;
    const all: ReadingLinesQuery = {
      signalIds: [3, 1, 2].map(signalId),
      fromMs: START,
      toMs: START + 1_000 * HOUR,
    };
    const pieces = async (query: ReadingLinesQuery, signal = never): Promise<string[]> => {
      const texts: string[] = [];
      for await (const piece of timeSeries.readingLines(query, signal))
        texts.push(new TextDecoder().decode(piece));
      return texts;
    };
    const lines = async (query: ReadingLinesQuery): Promise<string[]> =>
      (await pieces(query)).join("").split("\n").slice(0, -1);

    test("has every reading once, signal by signal, oldest first, those of one time weakest first", async () => {
      expect(await lines(all)).toEqual(sorted(readings));
    });

    test("is the same in pieces of any size, each of whole lines", async () => {
      for (const pieceLines of [47, 200, 600, 601]) {
        const found = await pieces({ ...all, pieceLines });
        expect(found.join("").split("\n").slice(0, -1)).toEqual(sorted(readings));
        const ends = found.every((text) => text.endsWith("\n") && text.split("\n").length <= pieceLines + 1);
        expect(ends).toBe(true);
      }
    });

    test("misses and repeats none where a piece ends amid readings of one time", async () => {
      const same = (signal: number, count: number) =>
        Array.from({ length: count }, (_, i) => ({
          signal,
          atMs: START + Math.floor(i / 5),
          strength: -50 - i,
        }));
      const stored = [...same(5001, 7), ...same(5002, 5), ...same(5003, 1)];
      await timeSeries.insertReadings("one time", readingsIn([bytes(stored.map(lineOf).join(""))]));
      const signalIds = [5001, 5002, 5003].map(signalId);
      for (const pieceLines of [1, 2, 3]) {
        expect(await lines({ ...all, signalIds, pieceLines })).toEqual(sorted(stored));
      }
    });

    test("has only the signals that are asked for, each once, within [from, to)", async () => {
      const [fromMs, toMs] = [START + 5 * HOUR, START + 9 * HOUR];
      const within = ({ signal, atMs }: Stored) => signal !== 2 && atMs >= fromMs && atMs < toMs;
      const signalIds = [3, 1, 9, 3].map(signalId);
      expect(await lines({ signalIds, fromMs, toMs, pieceLines: 5 })).toEqual(
        sorted(readings.filter(within)),
      );
      expect(await lines({ signalIds: [], fromMs, toMs })).toEqual([]);
      expect(await lines({ signalIds: [signalId(9)], fromMs, toMs })).toEqual([]);
    });

    test("goes on with the next signal where more of them are named than one query takes", async () => {
      const signalIds = Array.from({ length: 1_203 }, (_, n) => signalId(n + 1));
      expect(await lines({ ...all, signalIds, pieceLines: 100 })).toEqual(sorted(readings));
    });

    test("writes the smallest strengths as a reading line has them, without an exponent", async () => {
      const id = signalId(5000);
      const strengths = ["-0.00000012", "0.0000009", "0.00001", "-97.123456"];
      const sent = strengths.map((strength, i) => `${id}\t${START + i}\t${strength}\n`).join("");
      await timeSeries.insertReadings("small", readingsIn([bytes(sent)]));
      const found = await lines({ ...all, signalIds: [id] });
      const values = found.map((line) => line.split("\t")[2] ?? "");
      expect(values.every((value) => /^-?\d+(\.\d{1,14})?$/.test(value))).toBe(true);
      expect(values.map((value) => Math.fround(Number(value)))).toEqual(
        strengths.map((strength) => Math.fround(Number(strength))),
      );
    });

    test("ends with the reason that it is stopped for, at once or between two pieces", async () => {
      const stop = new AbortController();
      const seen: unknown[] = [];
      const reading = async () => {
        for await (const piece of timeSeries.readingLines({ ...all, pieceLines: 10 }, stop.signal)) {
          seen.push(piece);
          stop.abort(new Error("enough"));
        }
      };
      await expect(reading()).rejects.toThrow("enough");
      expect(seen).toHaveLength(1);
      await expect(reading()).rejects.toThrow("enough");
      expect(seen).toHaveLength(1);
    });

    test("that nobody reads to its end leaves the engine as it was", async () => {
      for await (const piece of timeSeries.readingLines({ ...all, pieceLines: 10 }, never))
        if (piece.length > 0) break;
      expect(await lines(all)).toEqual(sorted(readings));
    });

    test("can be counted beforehand by whole hours, and by those that the span touches", async () => {
      const [fromMs, toMs] = [START + 5 * HOUR + 1, START + 9 * HOUR - 1];
      const between = (from: number, to: number) =>
        readings.filter(({ signal, atMs }) => signal !== 3 && atMs >= from && atMs < to).length;
      const signalIds = [1, 2, 9].map(signalId);
      expect(await timeSeries.countHours({ signalIds, fromMs, toMs })).toEqual({
        touched: between(START + 5 * HOUR, START + 9 * HOUR),
        whole: between(START + 6 * HOUR, START + 8 * HOUR),
      });
      expect(await timeSeries.countHours({ signalIds: [], fromMs, toMs })).toEqual({ touched: 0, whole: 0 });
    });
  });
};
