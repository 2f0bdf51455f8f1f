import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AlertData } from "../../schemas/alert.ts";
import { AlertId, RuleId, SilenceId } from "../../schemas/common.ts";
import type { EventData, EventKind } from "../../schemas/event.ts";
import { toldAlert } from "../../src/domain/told-alert.ts";
import type { EventRow, TimeSeries } from "../../src/ports/time-series.ts";
import { accountId, event, shownSignal, signalId } from "../support/rows.ts";
import type { StartedTimeSeries } from "./time-series.ts";

const START = Date.UTC(2026, 0, 31, 23, 59);
const ULID_TAIL = "0".repeat(22);
const alertId = (n: number) => AlertId.parse(`alr_${String(n).padStart(4, "0")}${ULID_TAIL}`);
const instant = (ms: number) => new Date(ms).toISOString();
const OURS = accountId(60);

interface Step {
  readonly kind: EventKind;
  readonly alert: number;
  readonly sequence: number;
  readonly fields?: object;
  readonly data?: EventData;
}

/** What every engine must keep of alerts, whatever becomes of the inserts that told of them. */
export const alertHistoryConformance = (name: string, start: () => Promise<StartedTimeSeries>): void => {
  describe(`alerts in the time series: ${name}`, () => {
    let engine: StartedTimeSeries;
    let timeSeries: TimeSeries;
    beforeAll(async () => {
      engine = await start();
      timeSeries = engine.timeSeries;
    });
    afterAll(() => engine.stop());

    let position = 0;
    const rowOf = ({ kind, alert: n, sequence, fields = {}, data = {} }: Step): EventRow => {
      const isOver = kind === "alert.resolved";
      const alert = AlertData.parse({
        id: alertId(n),
        ruleId: `rul_${String(n % 2).padStart(26, "0")}`,
        ruleName: `'"\\ \t\n\u2028\u0000 𝄞`,
        severity: "warning",
        state: isOver ? "resolved" : "firing",
        firedAt: instant(START + n * 1000),
        resolvedAt: isOver ? instant(START + n * 1000 + sequence) : null,
        value: -90.123456789,
        limit: -80.1,
        ...(isOver ? { resolveReason: "recovered" } : {}),
        ...fields,
      });
      return {
        position: position++,
        accountId: OURS,
        signalId: signalId(n % 3),
        event: event(position, { kind, at: START, sequence, data: { ...data, alert } }),
      };
    };
    const insert = (rows: readonly EventRow[]) => timeSeries.insertEvents(`alerts ${position}`, rows);
    const told = (row: EventRow | undefined) => (row === undefined ? null : toldAlert(row));
    const listed = async (query: object = {}) =>
      (await timeSeries.resolvedAlerts({ accountId: OURS, limit: 100, ...query })).map(
        ({ alert }) => alert.id,
      );

    test("are what the event of the greatest sequence says, whatever order they come in and however often", async () => {
      const silencedBy = SilenceId.parse(`sil_${"0".repeat(26)}`);
      const acknowledged = { at: instant(START), by: "key_1", note: null };
      const rows = [
        rowOf({ kind: "alert.firing", alert: 1, sequence: 2 }),
        rowOf({ kind: "alert.acknowledged", alert: 1, sequence: 4, fields: { acknowledged } }),
        rowOf({
          kind: "alert.firing",
          alert: 1,
          sequence: 6,
          fields: { severity: "critical" },
          data: { silencedBy },
        }),
        rowOf({ kind: "alert.resolved", alert: 1, sequence: 9, data: { heldBy: "flapping" } }),
      ];
      for (const [at, row] of rows.entries()) {
        await insert(rows.slice(0, at + 1).toReversed());
        expect(await timeSeries.alert(OURS, alertId(1))).toEqual(told(row));
        expect(await listed()).toEqual(at === 3 ? [alertId(1)] : []);
      }
      await insert(rows);
      expect(await timeSeries.resolvedAlerts({ accountId: OURS, limit: 5 })).toEqual([told(rows[3])]);
      expect(await timeSeries.alert(accountId(61), alertId(1))).toBeNull();
      expect(await timeSeries.resolvedAlerts({ accountId: accountId(61), limit: 5 })).toEqual([]);
    });

    test("are listed the newest first, in pages, over months, by all that is asked for", async () => {
      const over = [200, 201, 202, 203, 204, 205];
      const steps = over.flatMap((alert) => [
        { kind: "alert.firing", alert, sequence: 1 } as const,
        {
          kind: "alert.resolved",
          alert,
          sequence: 2,
          fields: alert === 203 ? { severity: "info" } : {},
        } as const,
      ]);
      await insert([...steps, { kind: "alert.firing", alert: 206, sequence: 1 } as const].map(rowOf));
      const ids = (...numbers: number[]) => numbers.map(alertId);
      const since = { fromMs: START + 200_000 };
      expect(await listed(since)).toEqual(ids(205, 204, 203, 202, 201, 200));
      expect(await listed({ ...since, before: alertId(204), limit: 2 })).toEqual(ids(203, 202));
      expect(await listed({ ...since, severities: ["info", "critical"] })).toEqual(ids(203));
      expect(await listed({ ...since, signalIds: [signalId(1)] })).toEqual(ids(205, 202));
      expect(await listed({ ...since, ruleIds: [`rul_${"0".repeat(26)}`] })).toEqual(ids(204, 202, 200));
      expect(await listed({ fromMs: START + 201_000, toMs: START + 203_000 })).toEqual(ids(202, 201));
    });

    test("that fire again under their old id have not resolved, and fired when they did so last", async () => {
      const over = (alert: number, sequence: number, firedMs: number) =>
        rowOf({ kind: "alert.resolved", alert, sequence, fields: { firedAt: instant(firedMs) } });
      const firing = (alert: number, sequence: number, firedMs: number) =>
        rowOf({ kind: "alert.firing", alert, sequence, fields: { firedAt: instant(firedMs) } });
      // The second time is in the next month.
      const [first, second] = [START + 220_000, START + 320_000];
      await insert([firing(220, 1, first), over(220, 2, first), firing(220, 3, second)]);
      await insert([firing(221, 1, first), over(221, 2, first)]);
      await insert([firing(221, 3, second), over(221, 4, second)]);
      const since = { fromMs: first };
      expect(await listed({ ...since, limit: 1 })).toEqual([alertId(221)]);
      expect(await listed({ ...since, before: alertId(221), severities: ["warning"] })).not.toContain(
        alertId(220),
      );
      expect(await listed({ fromMs: second, toMs: second + 1 })).toEqual([alertId(221)]);
      expect(await listed({ fromMs: first, toMs: first + 1 })).toEqual([]);
      const found = await timeSeries.firingAlerts(alertId(219), 1);
      expect(found.map(({ alert }) => [alert.id, alert.firedAt])).toEqual([[alertId(220), instant(second)]]);
    });

    test("that fire are found in pages, those of every account", async () => {
      const theirs = {
        ...rowOf({ kind: "alert.firing", alert: 251, sequence: 1 }),
        accountId: accountId(61),
      };
      await insert([
        rowOf({ kind: "alert.firing", alert: 250, sequence: 1 }),
        theirs,
        rowOf({ kind: "alert.firing", alert: 252, sequence: 1 }),
        rowOf({ kind: "alert.resolved", alert: 252, sequence: 2 }),
      ]);
      const page = async (after: number) =>
        (await timeSeries.firingAlerts(alertId(after), 1)).map(({ alert }) => alert.id);
      expect(await page(249)).toEqual([alertId(250)]);
      expect(await timeSeries.firingAlerts(alertId(250), 10)).toEqual([told(theirs)]);
      expect(await page(251)).toEqual([]);
      expect((await timeSeries.firingAlerts(null, 100)).map(({ alert }) => alert.id)).toContain(alertId(250));
    });

    test("are told event by event, the newest first, by when it was made or what had been read", async () => {
      // Each was made a second after the one before, of readings that are ten seconds apart and an hour old.
      const kinds = ["alert.firing", "alert.acknowledged", "alert.resolved"] as const;
      const made = START + 270_000;
      const read = made - 3_600_000;
      const rows = kinds.map((kind, n) => {
        const data = { signal: shownSignal(signalId(0), read + n * 10_000) };
        const row = rowOf({ kind, alert: 270, sequence: 1_001 + n, data });
        return { ...row, event: { ...row.event, createdAt: instant(made + n * 1_000) } };
      });
      const other = rowOf({ kind: "alert.firing", alert: 273, sequence: 1_004 });
      await insert([...rows, other]);
      await insert(rows.map((row) => ({ ...row, position: row.position + 10 })));
      const ruleId = RuleId.parse(`rul_${"0".repeat(26)}`);
      const found = async (by: "event" | "reading", upToMs: number, limit = 10) => {
        const asked = { accountId: OURS, signalId: signalId(0), ruleId, by, upToMs, limit };
        const events = await timeSeries.alertEvents(asked);
        return events.filter(({ event }) => event.data.alert?.id === alertId(270));
      };
      expect(await found("event", made + 2_000)).toEqual(rows.toReversed());
      expect((await found("event", made + 1_999)).map(({ event }) => event.sequence)).toEqual([1_002, 1_001]);
      expect(await found("event", made - 1)).toEqual([]);
      expect(await found("reading", read + 10_000, 1)).toEqual(rows.slice(1, 2));
      expect(await found("reading", read - 1)).toEqual([]);
    });

    test("that cannot be read do not come between the others", async () => {
      const broken = rowOf({
        kind: "alert.resolved",
        alert: 300,
        sequence: 2,
        fields: { ruleName: "\ud800" },
      });
      await insert([broken, rowOf({ kind: "alert.resolved", alert: 301, sequence: 2 })]);
      expect(await listed({ fromMs: START + 300_000 })).toContain(alertId(301));
    });
  });
};
