import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AlertData } from "../../schemas/alert.ts";
import { AlertId, RuleId } from "../../schemas/common.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { type TimeSeries, TimeSeriesParseError } from "../../src/ports/time-series.ts";
import { readingsIn } from "../support/readings.ts";
import { accountId, bytes, event, eventId, signalId } from "../support/rows.ts";
import { alertHistoryConformance } from "./alert-history.ts";
import { readingColumnsConformance } from "./reading-columns.ts";
import { readingLinesConformance } from "./reading-lines.ts";
import { readingStatisticsConformance } from "./reading-statistics.ts";
import { seriesTransferConformance } from "./series-transfer.ts";

/** An engine under test, and how to kill it without a warning; it has to come back by itself. */
export interface StartedTimeSeries {
  readonly timeSeries: TimeSeries;
  kill(): void;
  stop(): Promise<void>;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR_2000 = Date.UTC(2000, 0, 1);
const START = Date.UTC(2026, 0, 31, 9);

/** What every engine of the port must do. `start` gives an empty one. */
export const timeSeriesConformance = (name: string, start: () => Promise<StartedTimeSeries>): void => {
  seriesTransferConformance(name, start);
  readingStatisticsConformance(name, start);
  readingLinesConformance(name, start);
  readingColumnsConformance(name, start);
  alertHistoryConformance(name, start);
  describe(`time series: ${name}`, () => {
    let engine: StartedTimeSeries;
    let timeSeries: TimeSeries;
    beforeAll(async () => {
      engine = await start();
      timeSeries = engine.timeSeries;
    });
    afterAll(() => engine.stop());

    const lines = (id: string, readings: readonly (readonly [atMs: number, strength: number])[]) =>
      bytes(readings.map(([atMs, strength]) => readingLine(id, atMs, strength)).join(""));

    /** How far all three counts grew while `task` ran: they must agree. */
    const growth = async (task: () => Promise<unknown>): Promise<number> => {
      const before = await timeSeries.readingCounts();
      await task();
      const after = await timeSeries.readingCounts();
      const raw = after.raw - before.raw;
      expect({ minute: after.minute - before.minute, hour: after.hour - before.hour }).toEqual({
        minute: raw,
        hour: raw,
      });
      return raw;
    };

    test("readings come back oldest first, within [from, to), every written digit kept", async () => {
      const id = signalId(1);
      await timeSeries.insertReadings(
        "order",
        readingsIn([
          lines(id, [
            [START + 2, -61.3],
            [START, -42],
          ]),
          lines(id, [
            [START + 3, -70.1234],
            [START + 1, -50.5],
          ]),
        ]),
      );
      const query = { signalId: id, fromMs: START + 1, toMs: START + 3, limit: 10, skipAtFrom: 0 };
      expect(await timeSeries.rawReadings(query)).toEqual([
        { atMs: START + 1, strength: -50.5 },
        { atMs: START + 2, strength: -61.3 },
      ]);
      expect(await timeSeries.rawReadings({ ...query, toMs: START + 4, limit: 500 })).toContainEqual({
        atMs: START + 3,
        strength: -70.1234,
      });
    });

    test("pages of readings that share one time miss and repeat none", async () => {
      const id = signalId(2);
      const written = Array.from({ length: 7 }, (_, i) => [START + (i < 5 ? 0 : i), -40 - i] as const);
      await timeSeries.insertReadings("paging", readingsIn([lines(id, written)]));
      const seen: number[] = [];
      let fromMs = START;
      let skipAtFrom = 0;
      for (;;) {
        const page = await timeSeries.rawReadings({
          signalId: id,
          fromMs,
          toMs: START + DAY,
          limit: 2,
          skipAtFrom,
        });
        const last = page.at(-1);
        if (last === undefined) break;
        seen.push(...page.map(({ strength }) => strength));
        const atLast = page.filter(({ atMs }) => atMs === last.atMs).length;
        skipAtFrom = last.atMs === fromMs ? skipAtFrom + atLast : atLast;
        fromMs = last.atMs;
      }
      expect(seen.sort()).toEqual(written.map(([, strength]) => strength).sort());
    });

    test("the first millisecond of 2000 is stored as such, in the rollups too", async () => {
      const id = signalId(3);
      await timeSeries.insertReadings("year 2000", readingsIn([lines(id, [[YEAR_2000, -55.5]])]));
      const span = { signalId: id, fromMs: YEAR_2000, toMs: YEAR_2000 + 1, limit: 10 };
      expect(await timeSeries.rawReadings({ ...span, skipAtFrom: 0 })).toEqual([
        { atMs: YEAR_2000, strength: -55.5 },
      ]);
      for (const step of ["1m", "5m", "1h", "1d"] as const) {
        expect(await timeSeries.buckets({ ...span, step })).toEqual([
          { atMs: YEAR_2000, count: 1, min: -55.5, max: -55.5, mean: -55.5 },
        ]);
      }
    });

    test("buckets of each step hold count, least, greatest and mean, over several inserts", async () => {
      const id = signalId(4);
      const readings = [
        [START, -40],
        [START + 59_999, -50],
        [START + MINUTE, -60],
        [START + 6 * MINUTE, -70],
        [START + HOUR, -80],
        [START + DAY, -90],
      ] as const;
      for (const [i, reading] of readings.entries())
        await timeSeries.insertReadings(`buckets ${i}`, readingsIn([lines(id, [reading])]));
      const span = { signalId: id, fromMs: START, toMs: START + 2 * DAY, limit: 100 };
      const bucket = (atMs: number, ...of: number[]) => ({
        atMs,
        count: of.length,
        min: Math.min(...of),
        max: Math.max(...of),
        mean: of.reduce((sum, value) => sum + value) / of.length,
      });
      const midnight = Date.UTC(2026, 0, 31);
      expect(await timeSeries.buckets({ ...span, step: "1m" })).toEqual([
        bucket(START, -40, -50),
        bucket(START + MINUTE, -60),
        bucket(START + 6 * MINUTE, -70),
        bucket(START + HOUR, -80),
        bucket(START + DAY, -90),
      ]);
      expect((await timeSeries.buckets({ ...span, step: "5m" })).slice(0, 2)).toEqual([
        bucket(START, -40, -50, -60),
        bucket(START + 5 * MINUTE, -70),
      ]);
      expect(await timeSeries.buckets({ ...span, step: "1h" })).toEqual([
        bucket(START, -40, -50, -60, -70),
        bucket(START + HOUR, -80),
        bucket(START + DAY, -90),
      ]);
      expect(await timeSeries.buckets({ ...span, step: "1d" })).toEqual([
        bucket(midnight, -40, -50, -60, -70, -80),
        bucket(midnight + DAY, -90),
      ]);
    });

    test("a bucket is whole though the span begins inside it, and ends before `to`", async () => {
      const id = signalId(5);
      await timeSeries.insertReadings(
        "whole buckets",
        readingsIn([
          lines(id, [
            [START, -40],
            [START + 30_000, -50],
            [START + MINUTE, -60],
          ]),
        ]),
      );
      const query = { signalId: id, fromMs: START + 30_000, toMs: START + MINUTE, limit: 10 } as const;
      expect(await timeSeries.buckets({ ...query, step: "1m" })).toEqual([
        { atMs: START, count: 2, min: -50, max: -40, mean: -45 },
      ]);
    });

    test("a span may begin and end where no reading can stand", async () => {
      const id = signalId(10);
      await timeSeries.insertReadings("far ends", readingsIn([lines(id, [[START, -40]])]));
      const years: [number, number, number][] = [
        [1800, 2150, 1],
        [1, 2400, 1],
        [2120, 9999, 0],
        [1, 1960, 0],
      ];
      for (const [from, to, found] of years) {
        const [fromMs, toMs] = [new Date(0).setUTCFullYear(from), new Date(0).setUTCFullYear(to)];
        const query = { signalId: id, fromMs, toMs, limit: 10 };
        expect(await timeSeries.rawReadings({ ...query, skipAtFrom: 0 })).toHaveLength(found);
        for (const step of ["1m", "5m", "1h", "1d"] as const)
          expect(await timeSeries.buckets({ ...query, step })).toHaveLength(found);
      }
    });

    const many = (id: string, rows: number, months: number) =>
      lines(
        id,
        Array.from({ length: rows }, (_, i) => [Date.UTC(2008, i % months, 1) + i, -40 - (i % 60)] as const),
      );

    test("one token counts once, sent again or three times at once; another counts again", async () => {
      const body = [many(signalId(6), 2_000, 3)];
      const grown = await growth(async () => {
        await timeSeries.insertReadings("token a", readingsIn(body));
        await timeSeries.insertReadings("token a", readingsIn(body));
        await Promise.all([1, 2, 3].map(() => timeSeries.insertReadings("token b", readingsIn(body))));
      });
      expect(grown).toBe(4_000);
    });

    test("a body that cannot be parsed is a parse error, leaves nothing, and does not use up its token", async () => {
      const id = signalId(7);
      const good = readingLine(id, START, -40);
      const bad = [
        `${good}${id}\t${START}\n`,
        `${good}${id}\t${START}x\t-40\n`,
        `${good}${id}\t${START}\t-4o\n`,
        `${good}${id}\t${START}\t-40\t1\n`,
        `${good}\u0000\u00ff\n`,
      ];
      const grown = await growth(async () => {
        for (const [i, text] of bad.entries())
          await expect(timeSeries.transfer.insert("readings", `bad ${i}`, [bytes(text)])).rejects.toThrow(
            TimeSeriesParseError,
          );
        await timeSeries.transfer.insert("readings", "bad 0", [bytes(good)]);
      });
      expect(grown).toBe(1);
    });

    test("settings of one insert do not stay for the next", async () => {
      const id = signalId(8);
      const grown = await growth(async () => {
        await timeSeries.insertReadings("sticky", readingsIn([lines(id, [[START, -40]])]));
        await Promise.all(
          Array.from({ length: 8 }, (_, i) =>
            timeSeries.insertReadings(`other ${i}`, readingsIn([lines(id, [[START, -40]])])),
          ),
        );
      });
      expect(grown).toBe(9);
    });

    test.each([
      { rows: 100_000, months: 1, kills: 6 },
      { rows: 2_000, months: 200, kills: 2 },
    ])(
      "killed $kills times amid inserts of $rows rows over $months months, counts stay exact",
      async ({ rows, months, kills }) => {
        const body = [many(signalId(9), rows, months)];
        const grown = await growth(async () => {
          const startedAt = performance.now();
          await timeSeries.insertReadings(`kill ${months} warm`, readingsIn(body));
          const tookMs = performance.now() - startedAt;
          for (let i = 0; i < kills; i++) {
            const killing = setTimeout(() => engine.kill(), (tookMs * (i + 0.5)) / kills);
            await timeSeries.insertReadings(`kill ${months} ${i}`, readingsIn(body));
            clearTimeout(killing);
            // As a worker would that died with it: the range again, under its token.
            await timeSeries.insertReadings(`kill ${months} ${i}`, readingsIn(body));
          }
        });
        expect(grown).toBe(rows * (kills + 1));
      },
      // Thousands of small files, each synced: a busy machine takes its time.
      120_000,
    );

    test("events stand in order of position, filtered, paged, and of one account only", async () => {
      const ours = accountId(1);
      const theirs = accountId(2);
      const rows = Array.from({ length: 9 }, (_, i) => ({
        position: 100 + i,
        accountId: i === 8 ? theirs : ours,
        signalId: signalId(i % 2),
        event: event(i, {
          kind: i % 3 === 0 ? "signal.failed" : "signal.updated",
          at: START + i,
          sequence: i + 1,
        }),
      }));
      await timeSeries.insertEvents("events", rows.toReversed());
      const positions = async (query: object) =>
        (await timeSeries.events({ accountId: ours, limit: 100, ...query })).map(({ position }) => position);
      expect(await timeSeries.events({ accountId: ours, limit: 100 })).toEqual(rows.slice(0, 8));
      expect(await positions({ after: 101, upTo: 106 })).toEqual([102, 103, 104, 105]);
      expect(await positions({ after: 101, limit: 2 })).toEqual([102, 103]);
      expect(await positions({ signalIds: [signalId(1)] })).toEqual([101, 103, 105, 107]);
      expect(await positions({ signalIds: [signalId(1), signalId(0)], kinds: ["signal.failed"] })).toEqual([
        100, 103, 106,
      ]);
      expect(await positions({ fromMs: START + 2, toMs: START + 4 })).toEqual([102, 103]);
      expect(await positions({ signalIds: [] })).toEqual([]);
      expect(await timeSeries.eventPosition(ours, eventId(3))).toBe(103);
      expect(await timeSeries.eventPosition(theirs, eventId(3))).toBeNull();
      expect(await timeSeries.eventPosition(ours, eventId(999))).toBeNull();
    });

    test("of an event's copies the smallest position counts, in whatever order they came", async () => {
      const owner = accountId(3);
      const row = (position: number) => ({
        position,
        accountId: owner,
        signalId: signalId(20),
        event: event(30, { kind: "signal.failed", at: START, sequence: 4 }),
      });
      for (const position of [205, 201, 209])
        await timeSeries.insertEvents(`copy ${position}`, [row(position)]);
      expect(await timeSeries.events({ accountId: owner, limit: 10 })).toEqual([row(201)]);
      expect(await timeSeries.events({ accountId: owner, limit: 10, after: 202 })).toEqual([]);
      expect(await timeSeries.eventPosition(owner, eventId(30))).toBe(201);
    });

    test("the newest event of each account below a position is one behind which it has no other", async () => {
      const [one, other] = [accountId(40), accountId(41)];
      const row = (position: number, owner: typeof one) => ({
        position,
        accountId: owner,
        signalId: signalId(20),
        event: event(position, { kind: "signal.updated", at: START, sequence: 1 }),
      });
      const rows = [row(1_301, one), row(1_302, other), row(1_303, one)];
      await timeSeries.insertEvents("newest of accounts", rows);
      const below = async (upTo: number) => {
        const newest = await timeSeries.newestEvents(upTo);
        return [newest.get(one), newest.get(other), newest.get(accountId(42))];
      };
      expect(await below(1_301)).toEqual([undefined, undefined, undefined]);
      expect(await below(1_302)).toEqual([eventId(1_301), undefined, undefined]);
      expect(await below(1_304)).toEqual([eventId(1_303), eventId(1_302), undefined]);
    });

    test("the last sequence of each signal is counted among the events below a position", async () => {
      const row = (position: number, id: number, sequence: number) => ({
        position,
        accountId: accountId(4),
        signalId: signalId(id),
        event: event(position, { kind: "signal.updated", at: START, sequence }),
      });
      await timeSeries.insertEvents("sequences", [
        row(300, 40, 1),
        row(301, 41, 7),
        row(302, 40, 2),
        row(303, 40, 3),
      ]);
      const below = async (upTo: number) => {
        const last = await timeSeries.lastSequences(upTo);
        return [40, 41, 42].map((id) => last.get(signalId(id)));
      };
      expect(await below(300)).toEqual([undefined, undefined, undefined]);
      expect(await below(301)).toEqual([1, undefined, undefined]);
      expect(await below(303)).toEqual([2, 7, undefined]);
      expect(await below(304)).toEqual([3, 7, undefined]);
      await timeSeries.insertEvents("sequences again", [row(305, 40, 2)]);
      expect(await below(305)).toEqual([3, 7, undefined]);
      expect(await below(306)).toEqual([3, 7, undefined]);
    });

    test("a source's event has neither signal nor sequence, and any text comes back as it was", async () => {
      const owner = accountId(5);
      const source = { id: "src_\u0000", name: `'"\\ \t\n\u2028 {x:String} 𝄞`, reason: null };
      const row = {
        position: 400,
        accountId: owner,
        signalId: null,
        event: event(400, { kind: "source.connected", at: START, sequence: null, data: { source } }),
      };
      await timeSeries.insertEvents("source event", [row]);
      expect(await timeSeries.events({ accountId: owner, limit: 10 })).toEqual([row]);
      expect((await timeSeries.lastSequences(1_000)).has(signalId(999))).toBe(false);
    });

    test("the end of the events, and the newest one of each signal and of each rule that alerted on it", async () => {
      const end = await timeSeries.eventsEnd();
      expect(end).toBeGreaterThan(400);
      const alert = (rule: string, state: AlertData["state"]): AlertData => ({
        id: AlertId.parse(`alr_${"0".repeat(26)}`),
        ruleId: RuleId.parse(`rul_${rule.padStart(26, "0")}`),
        ruleName: "weak",
        severity: "warning",
        state,
        firedAt: new Date(START).toISOString(),
        resolvedAt: null,
        value: -90,
        limit: -80,
      });
      const told = [
        { kind: "signal.created" as const, data: {} },
        { kind: "alert.firing" as const, data: { alert: alert("1", "firing") } },
        { kind: "alert.firing" as const, data: { alert: alert("2", "firing") } },
        { kind: "signal.failed" as const, data: {} },
        { kind: "alert.resolved" as const, data: { alert: alert("1", "resolved") } },
      ];
      const rows = told.map(({ kind, data }, n) => ({
        position: end + n,
        accountId: accountId(1),
        signalId: signalId(70),
        event: event(end + n, { kind, at: START + n, sequence: n + 1, data }),
      }));
      await timeSeries.insertEvents("newest", rows);
      expect(await timeSeries.eventsEnd()).toBe(end + told.length);
      const last = await timeSeries.lastEvents([signalId(70), signalId(71)]);
      expect(last.map(({ event: { sequence } }) => sequence)).toEqual([5, 4, 3]);
    });

    test("the marks that it was given, and no other", async () => {
      await timeSeries.mark("first");
      await timeSeries.mark("second");
      expect(await timeSeries.isMarked("first")).toBe(true);
      expect(await timeSeries.isMarked("third")).toBe(false);
    });

    test("an insert that is aborted rejects with the reason", async () => {
      const reason = new Error("stopping");
      const aborted = AbortSignal.abort(reason);
      await expect(
        timeSeries.insertReadings("aborted", readingsIn([lines(signalId(1), [[START, -40]])]), aborted),
      ).rejects.toBe(reason);
    });

    test("it is well again after all that", () => {
      expect(timeSeries.health()).toEqual({ name: "time-series", state: "ok", detail: null });
    });
  });
};
