import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Alert, AlertData, AlertsAnswer } from "../../schemas/alert.ts";
import { AlertId } from "../../schemas/common.ts";
import { ulid } from "../../src/domain/ids.ts";
import { pendingAnswerRecord, readPendingQuestion } from "../../src/domain/records.ts";
import { type ToldAlert, toldAlert } from "../../src/domain/told-alert.ts";
import type { EventRow } from "../../src/ports/time-series.ts";
import { event, signalId } from "../support/rows.ts";
import { sharedServe, startTestServe } from "../support/serve.ts";

const shared = sharedServe();
const BASE_MS = Date.UTC(2026, 0, 31, 9);
const instant = (ms: number) => new Date(ms).toISOString();
const alertId = (n: number) => AlertId.parse(`alr_01JDA2V3Q8R5T7W9Y1${String(n).padStart(8, "0")}`);
const ruleId = (n: number) => `rul_01JDA2V3Q8R5T7W9Y1${String(n).padStart(8, "0")}`;

let position = 0;
/** What an event tells of the nth alert: that it fires, or, `isOver`, has resolved. */
const rowOf = (n: number, isOver: boolean, fields: object = {}): EventRow => ({
  position: position++,
  accountId: shared.engines.accountId,
  signalId: signalId(n % 2),
  event: event(position, {
    kind: isOver ? "alert.resolved" : "alert.firing",
    at: BASE_MS,
    sequence: isOver ? 2 : 1,
    data: {
      alert: AlertData.parse({
        id: alertId(n),
        ruleId: ruleId(n % 3),
        ruleName: "weak",
        severity: "warning",
        state: isOver ? "resolved" : "firing",
        firedAt: instant(BASE_MS + n * 1000),
        resolvedAt: isOver ? instant(BASE_MS + n * 1000 + 500) : null,
        value: -80,
        limit: -75,
        ...(isOver ? { resolveReason: "recovered" } : {}),
        ...fields,
      }),
    },
  }),
});
const told = (row: EventRow): ToldAlert => {
  const found = toldAlert(row);
  if (found === null) throw new Error("no alert");
  return found;
};
const record = (rows: readonly EventRow[]) =>
  shared.engines.timeSeries.insertEvents(`alerts ${position}`, rows);
const project = (rows: readonly EventRow[]) => shared.engines.control.alerts.project(rows.map(told));
const page = (query = "") => shared.serve.api.expect(AlertsAnswer, "GET", `/v1/alerts${query}`);
const idsOf = async (query = "") => (await page(query)).alerts.map(({ id }) => id);
const ids = (...numbers: number[]) => numbers.map(alertId);

describe("alerts over HTTP", () => {
  beforeAll(async () => {
    const old = [1, 2, 3, 4].flatMap((n) => [
      rowOf(n, false),
      rowOf(n, true, n === 3 ? { severity: "info" } : {}),
    ]);
    const just = [5, 6].flatMap((n) => [rowOf(n, false), rowOf(n, true)]);
    const firing = [7, 8, 9].map((n) => rowOf(n, false, n === 9 ? { severity: "critical" } : {}));
    // The time series lacks what has just happened: 6 has resolved there not yet, and 8 and 9 are not there at all.
    await record([...old, ...just.slice(0, 3), ...firing.slice(0, 1)]);
    await project([...just, ...firing]);
  });

  test("are those that fire and those that have resolved, the newest first, wherever they are kept", async () => {
    expect(await idsOf()).toEqual(ids(9, 8, 7, 6, 5, 4, 3, 2, 1));
    expect(await idsOf("?state=firing")).toEqual(ids(9, 8, 7));
    expect(await idsOf("?state=resolved")).toEqual(ids(6, 5, 4, 3, 2, 1));
    expect((await page("?state=resolved&limit=1")).alerts).toEqual([told(rowOf(6, true)).alert]);
  });

  test("are found by rule, signal, severity and time", async () => {
    expect(await idsOf(`?ruleId=${ruleId(1)}`)).toEqual(ids(7, 4, 1));
    expect(await idsOf(`?signalId=${signalId(1)}&state=resolved`)).toEqual(ids(5, 3, 1));
    expect(await idsOf("?severity=critical&severity=info")).toEqual(ids(9, 3));
    expect(await idsOf(`?from=${instant(BASE_MS + 4000)}&to=${instant(BASE_MS + 8000)}`)).toEqual(
      ids(7, 6, 5, 4),
    );
    expect(
      await shared.serve.api.call("GET", `/v1/alerts?from=${instant(1)}&to=${instant(1)}`),
    ).toMatchObject({
      status: 400,
      body: { errors: [{ path: "from" }] },
    });
    for (const [path, query] of [
      ["state", "state=open"],
      ["limit", "limit=501"],
      ["cursor", "cursor=x"],
      ["signalId", "signalId=1"],
      ["status", "status=firing"],
    ])
      expect(await shared.serve.api.call("GET", `/v1/alerts?${query}`)).toMatchObject({
        status: 400,
        body: { errors: [{ path }] },
      });
  });

  test("in pages come once each, also when one begins and one resolves meanwhile", async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { alerts, nextCursor } = await page(`?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      if (cursor === "") {
        await project([rowOf(10, false), rowOf(8, true)]);
        await record([rowOf(8, true)]);
      }
      seen.push(...alerts.map(({ id }) => id));
      cursor = nextCursor;
    }
    expect(seen).toEqual(ids(9, 8, 7, 6, 5, 4, 3, 2, 1));
  });

  test("that fire again are not said to have resolved, also while their history lags behind", async () => {
    const again = { ...told(rowOf(3, false, { firedAt: instant(BASE_MS + 90_000) })), sequence: 3 };
    await shared.engines.control.alerts.project([again]);
    expect(await idsOf("?state=resolved")).not.toContain(alertId(3));
    expect(await idsOf(`?state=firing&from=${instant(BASE_MS + 90_000)}`)).toEqual(ids(3));
    expect(await idsOf()).toContain(alertId(3));
    const before = `?state=resolved&from=${instant(BASE_MS + 3000)}&to=${instant(BASE_MS + 4000)}`;
    expect(await idsOf(before)).toEqual([]);
    const over = rowOf(3, true, { firedAt: instant(BASE_MS + 90_000) });
    await shared.engines.control.alerts.project([{ ...told(over), sequence: 4 }]);
    expect(await idsOf(`?state=resolved&from=${instant(BASE_MS + 90_000)}`)).toEqual(ids(3));
  });

  test("are shown one by one, long after their end too", async () => {
    const { api } = shared.serve;
    expect((await api.call("GET", `/v1/alerts/${alertId(7)}`)).body).toEqual(told(rowOf(7, false)).alert);
    expect((await api.call("GET", `/v1/alerts/${alertId(2)}`)).body).toEqual(told(rowOf(2, true)).alert);
    expect((await api.call("GET", `/v1/alerts/${alertId(99)}`)).status).toBe(404);
  });

  test("are taken on by the first who says so, and answer with who that was", async () => {
    const { api } = shared.serve;
    const path = `/v1/alerts/${alertId(9)}`;
    const before = await shared.engines.control.outbox.relayed();
    const first = await api.expect(Alert, "POST", `${path}/acknowledge`, { note: " on my way " });
    expect(first.acknowledged).toMatchObject({ note: "on my way", by: expect.stringMatching(/^key_/) });
    expect(await shared.engines.control.outbox.relayed()).toBe(before + 1);
    expect((await api.call("POST", `${path}/acknowledge`)).body).toEqual(first);
    expect((await api.call("GET", path)).body).toEqual(first);
    expect((await page("?state=firing&limit=2")).alerts).toContainEqual(first);
    for (const n of [2, 6])
      expect(await api.call("POST", `/v1/alerts/${alertId(n)}/acknowledge`, {})).toMatchObject({
        status: 409,
        body: { code: "conflict" },
      });
    expect((await api.call("POST", `/v1/alerts/${alertId(99)}/acknowledge`, {})).status).toBe(404);
    const long = await api.call("POST", `${path}/acknowledge`, { note: "x".repeat(501) });
    expect(long).toMatchObject({ status: 400, body: { errors: [{ path: "note" }] } });
  });
});

describe("alerts that wait", () => {
  const pending = (n: number) =>
    Alert.parse({
      ...told(rowOf(n, false)).alert,
      state: "pending",
      pendingSince: instant(BASE_MS + n * 1000),
      firedAt: null,
    });

  /** Answers as the evaluators do, each with its part of what waits. */
  const answering = (
    waiting: readonly (readonly [n: number, partition: number])[],
    truncated = false,
    others: readonly Alert[] = [],
  ) => {
    const stop = new AbortController();
    const { log } = shared.engines;
    const asked: unknown[] = [];
    const answer = async (partition: number) => {
      const bounds = (await log.bounds("readings")).find((one) => one.partition === partition);
      for await (const batch of log.tail("readings", {
        partition,
        from: bounds?.end ?? 0,
        signal: stop.signal,
      }))
        for (const one of batch) {
          if (one.headers.kind !== "pending") continue;
          const { questionId, ...question } = readPendingQuestion(one);
          asked.push(question);
          const alerts = waiting.filter(([, at]) => at === partition).map(([n]) => pending(n));
          const all = partition === 0 ? [...alerts, ...others] : alerts;
          await log.append("live", [pendingAnswerRecord(questionId, partition, { alerts: all, truncated })]);
        }
    };
    const done = Promise.all([0, 1].map(answer)).catch(() => undefined);
    onTestFinished(async () => {
      stop.abort();
      await done;
    });
    return asked;
  };

  test("are asked of every partition, and stand among the others by when they began", async () => {
    const asked = answering([
      [20, 0],
      [21, 1],
      [7, 1],
    ]);
    expect(await page("?state=pending")).toEqual({
      alerts: [pending(21), pending(20), pending(7)],
      truncated: false,
      nextCursor: null,
    });
    const nothing = { accountId: shared.engines.accountId, signalIds: null, ruleIds: null, severities: null };
    expect(asked).toEqual([nothing, nothing]);
    // 7 has fired meanwhile.
    expect(await idsOf("?state=pending&state=firing&limit=4")).toEqual(ids(21, 20, 10, 9));
    expect((await page("?state=pending&state=firing")).alerts).toContainEqual(told(rowOf(7, false)).alert);
    expect(await idsOf(`?state=pending&signalId=${signalId(1)}&from=${instant(BASE_MS + 21_000)}`)).toEqual(
      ids(21),
    );
    expect(asked.at(-1)).toMatchObject({ signalIds: [signalId(1)] });
  });

  test("are shown one by one, and cannot be taken on before they fire", async () => {
    const { api } = shared.serve;
    const id = AlertId.parse(`alr_${ulid(Date.now(), new Uint8Array(10))}`);
    const other = AlertId.parse(`alr_${ulid(Date.now(), new Uint8Array(10).fill(1))}`);
    const waiting = { ...pending(30), id };
    const asked = answering([], false, [waiting]);
    expect(await api.call("GET", `/v1/alerts/${id}`)).toMatchObject({ status: 200, body: waiting });
    expect(asked).toContainEqual(expect.objectContaining({ alertIds: [id] }));
    expect(await api.call("POST", `/v1/alerts/${id}/acknowledge`, {})).toMatchObject({
      status: 409,
      body: { code: "conflict", detail: expect.stringContaining("is pending") },
    });
    expect((await api.call("GET", `/v1/alerts/${other}`)).status).toBe(404);
    expect((await api.call("POST", `/v1/alerts/${other}/acknowledge`, {})).status).toBe(404);
  });

  test("are 500 at the most, and it is said that there are more", async () => {
    const many = Array.from({ length: 502 }, (_, n) => [1000 + n, n % 2] as const);
    answering(many);
    const { alerts, truncated } = await page("?state=pending&limit=500");
    expect([alerts.length, alerts[0]?.id, truncated]).toEqual([500, alertId(1501), true]);
  });

  test("are not known while the evaluators do not answer", async () => {
    const serve = await startTestServe(shared.engines, { limits: { probeTimeoutMs: 50 } });
    onTestFinished(() => serve.stop());
    expect(await serve.api.call("GET", "/v1/alerts?state=pending")).toMatchObject({
      status: 503,
      body: { code: "pipeline_unavailable" },
    });
  });
});
