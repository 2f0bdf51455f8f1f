import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readingLine } from "../../src/domain/reading-line.ts";
import { SERIES_TABLES, type SeriesKey, type TimeSeries } from "../../src/ports/time-series.ts";
import { linesOf } from "../support/installation.ts";
import { readingsIn } from "../support/readings.ts";
import { accountId, bytes, event, signalId } from "../support/rows.ts";
import type { StartedTimeSeries } from "./time-series.ts";

const MONTH = 30 * 86_400_000;
const START = Date.UTC(2025, 10, 20);

/** Carries every piece of `from` into `to`, each of them twice. */
const carry = async (from: TimeSeries, to: TimeSeries, rows: number): Promise<void> => {
  for (const table of SERIES_TABLES) {
    if (table === "readings_1m" || table === "readings_1h") await to.transfer.clear(table);
    for (const stretch of await from.transfer.stretches(table))
      for (let after: SeriesKey | null = null, n = 0; after !== null || n === 0; n++) {
        const piece = await from.transfer.read(table, stretch, after, rows);
        for (const _ of [1, 2]) await to.transfer.insert(table, `${table}/${stretch}/${n}`, [piece.lines]);
        after = piece.end;
      }
  }
};

/** What every engine of the port must do when its content is carried to another. */
export const seriesTransferConformance = (name: string, start: () => Promise<StartedTimeSeries>): void => {
  describe(`what is carried between time series: ${name}`, () => {
    let engines: StartedTimeSeries[] = [];
    const series = (index: number): TimeSeries => {
      const engine = engines[index];
      if (engine === undefined) throw new Error("not started");
      return engine.timeSeries;
    };
    beforeAll(async () => {
      engines = await Promise.all([start(), start()]);
      const numbers = fc.sample(fc.float({ min: -200, max: 50, noNaN: true }), 60);
      const lines = numbers.flatMap((strength, n) => {
        const at = START + Math.floor(n / 20) * MONTH + (n % 7);
        // Several of one signal at one time, the very same twice among them.
        return [strength, strength, -50.5].map((value) => readingLine(signalId(n % 3), at, value));
      });
      await series(0).insertReadings("readings", readingsIn([bytes(lines.join(""))]));
      // Of readings that retention has taken away: their minutes are all that is left.
      const sums = [1 / 3, Math.PI * 1e9, 2 ** -40].map(
        (sum, n) => `${signalId(9)}\t2024-0${n + 1}-01 00:00:00\t7\t${sum}\t${sum / 7}\t-0.1\t3.4028235e38\n`,
      );
      await series(0).transfer.insert("readings_1m", "older", [bytes(sums.join(""))]);
      const data = {
        source: { id: "src_01JDA2V3Q8R5T7W9Y100000001", name: 'tab\t "quote" \\n ü\n', reason: null },
      };
      const events = [1, 2, 3, 4, 5].map((n) => ({
        position: 10 * n,
        accountId: accountId(n % 2),
        signalId: n < 3 ? null : signalId(n),
        event: event(n, {
          kind: "signal.updated",
          at: START + n * MONTH,
          sequence: n < 3 ? null : n,
          data: JSON.parse(JSON.stringify(data)),
        }),
      }));
      await series(0).insertEvents("events", events);
      await series(0).insertEvents(
        "again",
        events.map((row) => ({ ...row, position: row.position + 5 })),
      );
    });
    afterAll(async () => {
      await Promise.all(engines.map((engine) => engine.stop()));
    });

    test("pieces of any size are the same lines in the same order, each once", async () => {
      const whole = await linesOf(series(0));
      for (const rows of [1, 4, 25]) expect(await linesOf(series(0), rows)).toEqual(whole);
    });

    test("another time series takes them in as they were, to the last bit, and once for each token", async () => {
      await carry(series(0), series(1), 10);
      expect(await linesOf(series(1))).toEqual(await linesOf(series(0)));
      expect(await series(1).transfer.counts()).toEqual(await series(0).transfer.counts());
      expect(await series(1).transfer.counts()).toMatchObject({ readings: 180, readings_1m: 201, events: 5 });
      expect(await series(1).eventsEnd()).toBe(51);
      expect(await series(1).lastSequences(1_000)).toEqual(await series(0).lastSequences(1_000));
    });
  });
};
