import { describe, expect, onTestFinished, test } from "vitest";
import { type Analysis, AnalyzeAnswer } from "../../schemas/analysis.ts";
import type { SignalId } from "../../schemas/common.ts";
import { type Signal, SignalCreate, SignalsCreated } from "../../schemas/signal.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { failuresOf } from "../../src/domain/analysis/failures.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { eventRecord } from "../../src/domain/records.ts";
import { statusHistories } from "../../src/serve/analysis/histories.ts";
import { startEventFeed } from "../../src/serve/event-feed.ts";
import { readingsIn } from "../support/readings.ts";
import { accountId, bytes, event, signalId } from "../support/rows.ts";
import { sharedServe } from "../support/serve.ts";
import { until } from "../support/until.ts";

const START = Date.UTC(2026, 0, 31, 9);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const PATH = "/v1/signals/analyze";

const shared = sharedServe();

const iso = (ms: number) => new Date(ms).toISOString();
const create = async (fields: object = {}): Promise<Signal> => {
  const body = { name: "s", threshold: 0.4, ...fields };
  const [signal] = (await shared.serve.api.expect(SignalsCreated, "POST", "/v1/signals", body)).signals;
  if (signal === undefined) throw new Error("not made");
  return signal;
};
let inserts = 0;
const insert = (id: SignalId, readings: readonly (readonly [atMs: number, strength: number])[]) => {
  const lines = readings.map(([atMs, strength]) => readingLine(id, atMs, strength));
  return shared.engines.timeSeries.insertReadings(
    `analyze ${inserts++}`,
    readingsIn([bytes(lines.join(""))]),
  );
};
const analyses = async (body: object): Promise<Analysis[]> =>
  (await shared.serve.api.expect(AnalyzeAnswer, "POST", PATH, body)).analyses;
const analysis = async (body: object): Promise<Analysis> => {
  const [one] = await analyses(body);
  if (one === undefined) throw new Error("no analysis");
  return one;
};
const problem = async (body: object) => {
  const answer = await shared.serve.api.call("POST", PATH, body);
  return { status: answer.status, body: answer.body };
};
const hour = { from: iso(START), to: iso(START + HOUR) };

describe("an analysis of stored history", () => {
  test("says everything that 60 readings of an hour hold", async () => {
    const { id } = await create();
    const readings = Array.from({ length: 60 }, (_, i) => [START + i * MINUTE, -60 - (i % 2)] as const);
    await insert(id, [...readings, [START + HOUR, -99]]);
    const found = await analysis({ signalIds: [id], ...hour });
    expect(found).toMatchObject({
      signalId: id,
      from: hour.from,
      to: hour.to,
      count: 60,
      strength: { min: -61, max: -60, mean: -60.5, stddev: 0.5, p5: -61, p50: -60.5, p95: -60 },
      quality: { mean: 0.79, min: 0.78 },
      gaps: [],
      anomalies: [],
      recommendations: [],
    });
    expect(found.trendDbPerHour).toBeCloseTo(-0.05001, 4);
    expect(found.series).toMatchObject({ step: "raw" });
    expect(found).not.toHaveProperty("approximated");
    const stepped = await analysis({ signalIds: [id], ...hour, step: "5m" });
    const { series } = stepped;
    if (series.step === "raw") throw new Error("raw");
    expect(series.buckets).toHaveLength(12);
    expect(series.buckets[1]).toEqual({
      at: iso(START + 5 * MINUTE),
      count: 5,
      min: -61,
      max: -60,
      mean: -60.6,
    });
  });

  test("of one reading, of none, and of constant ones says what can be said", async () => {
    const [one, none, constant] = [await create(), await create(), await create()];
    await insert(one.id, [[START + MINUTE, -64.7]]);
    await insert(
      constant.id,
      Array.from({ length: 50 }, (_, i) => [START + i * MINUTE, -64.7] as const),
    );
    const [ofOne, ofNone, ofConstant] = await analyses({
      signalIds: [one.id, none.id, constant.id],
      ...hour,
    });
    const same = { min: -64.7, max: -64.7, mean: -64.7, stddev: 0, p5: -64.7, p50: -64.7, p95: -64.7 };
    expect(ofOne).toMatchObject({ count: 1, strength: same, trendDbPerHour: null, gaps: [], anomalies: [] });
    expect(ofNone).toMatchObject({
      count: 0,
      strength: null,
      quality: null,
      trendDbPerHour: null,
      series: { step: "raw", readings: [] },
      recommendations: [],
    });
    expect(ofConstant).toMatchObject({ count: 50, strength: same, trendDbPerHour: 0, anomalies: [] });
    expect(ofConstant?.quality).toEqual({ mean: 0.706, min: 0.706 });
  });

  test("names the gap and the reading that stand out", async () => {
    const { id } = await create();
    const readings = Array.from({ length: 40 }, (_, i) => {
      const atMs = START + i * 30_000 + (i > 20 ? 10 * MINUTE : 0);
      return [atMs, i === 7 ? -95 : -60 - (i % 3)] as const;
    });
    await insert(id, readings);
    const found = await analysis({ signalIds: [id], from: iso(START), to: iso(START + 30 * MINUTE) });
    expect(found.gaps).toEqual([
      { from: iso(START + 20 * 30_000), to: iso(START + 21 * 30_000 + 10 * MINUTE) },
    ]);
    expect(found.anomalies).toMatchObject([{ at: iso(START + 7 * 30_000), strength: -95 }]);
    expect(found.anomalies[0]?.score).toBeLessThan(-3.5);
  });

  test("of more readings than are read out one by one agrees with the exact one, and says what is not", async () => {
    const { id } = await create();
    const readings = Array.from({ length: 24_000 }, (_, i) => {
      const atMs = START + i * 1_000 + (i > 12_000 ? 3 * HOUR : 0);
      return [atMs, Math.round((-70 - i / 8_000 + 4 * Math.sin(i / 50)) * 10) / 10] as const;
    });
    await insert(id, readings);
    const span = { from: iso(START), to: iso(START + 12 * HOUR) };
    const found = await analysis({ signalIds: [id], ...span });
    const strengths = readings.map(([, strength]) => strength);
    const mean = strengths.reduce((sum, strength) => sum + strength, 0) / strengths.length;
    expect(found.count).toBe(24_000);
    expect(found.strength?.mean).toBeCloseTo(mean, 3);
    expect(found.strength).toMatchObject({ min: Math.min(...strengths), max: Math.max(...strengths) });
    expect(found.approximated).toEqual(["anomalies", "recommendations"]);
    expect(found.gaps).toEqual([
      { from: iso(START + 12_000_000), to: iso(START + 12_001_000 + 3 * HOUR) },
      { from: iso(START + 23_999_000 + 3 * HOUR), to: span.to },
    ]);
    const { series } = found;
    if (series.step === "raw") throw new Error("raw");
    expect(series.step).toBe("5m");
    expect(series.buckets.reduce((sum, { count }) => sum + count, 0)).toBe(24_000);
    expect(found.recommendations.map(({ kind }) => kind)).toContain("noData");
  });

  test("takes signals by their labels, in order of name", async () => {
    const labels = { rack: "analyze" };
    const [b, a] = [await create({ name: "b", labels }), await create({ name: "a", labels })];
    await create({ name: "c", labels: { rack: "other" } });
    expect((await analyses({ labels, ...hour })).map(({ signalId }) => signalId)).toEqual([a.id, b.id]);
    expect(await analyses({ labels: { rack: "nowhere" }, ...hour })).toEqual([]);
  });

  test("spans any time there is", async () => {
    const { id } = await create();
    await insert(id, [[START, -60]]);
    const ever = { from: "0001-01-01T00:00:00Z", to: "9999-12-31T00:00:00Z" };
    expect(await analysis({ signalIds: [id], ...ever })).toMatchObject({ count: 1, gaps: [] });
    expect(await problem({ signalIds: [id], ...ever, step: "1m" })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "step" }] },
    });
  });

  test("is only of signals there are, of a span that is one, and of something", async () => {
    const { id } = await create();
    const foreign = await shared.engines.control.signals.create(
      accountId(7),
      SignalCreate.parse({ name: "foreign", threshold: 0.5 }),
    );
    if (!foreign.ok) throw new Error("not made");
    for (const unknown of [signalId(90), foreign.value.definition.id])
      expect((await problem({ signalIds: [id, unknown] })).status).toBe(404);
    for (const [body, path] of [
      [{}, ""],
      [{ labels: {} }, ""],
      [{ signalIds: [] }, "signalIds"],
      [{ signalIds: Array(101).fill(id) }, "signalIds"],
      [{ signalIds: [id], from: hour.to, to: hour.from }, "from"],
      [{ signalIds: [id], from: hour.to, to: hour.to }, "from"],
      [{ signalIds: [id], from: "yesterday" }, "from"],
      [{ signalIds: [id], step: "2m" }, "step"],
      [{ signalIds: [id], since: hour.from }, "since"],
      [{ readings: [] }, "readings"],
      [{ readings: [{ at: hour.from, strength: 51 }] }, "readings.0.strength"],
      [{ readings: [{ at: "1999-01-01T00:00:00Z", strength: -60 }] }, "readings.0.at"],
      [{ readings: [{ at: hour.from, strength: -60 }], labels: { a: "b" } }, "readings"],
    ] as const)
      expect(await problem(body), JSON.stringify(body)).toMatchObject({
        status: 400,
        body: { code: "validation_failed", errors: [{ path }] },
      });
  });
});

describe("failures of an analysis", () => {
  const followed = async () => {
    const limits = { ringEvents: 10_000, ringBytes: 10_000_000 };
    const machine = { clock: systemClock, entropy: systemEntropy };
    const feed = await startEventFeed({ ...shared.engines, ...machine, limits });
    onTestFinished(() => feed.stop());
    return feed;
  };

  test("come from the events of the signal, within what has been and what was there", async () => {
    const { id, ...signal } = await create();
    const { log, control, accountId: mine } = shared.engines;
    const stored = await control.signals.get(mine, id);
    if (stored === null) throw new Error("not stored");
    const at = stored.definition.createdAt;
    let n = 700;
    const tell = (status: "active" | "failed", offsetMs: number) => {
      const kind = status === "failed" ? "signal.failed" : "signal.updated";
      const data = {
        signal: { id, ...signal, status },
        ...(status === "failed" ? {} : { previous: { status: "failed" as const } }),
      };
      const told = event(n++, { kind, at: at + offsetMs, sequence: n, data });
      return eventRecord({ accountId: mine, signalId: id, event: told });
    };
    await log.append("events", [
      tell("failed", 10_000),
      tell("active", 15_000),
      tell("failed", 50_000),
      tell("active", 65_000),
    ]);
    const feed = await followed();
    await until(
      "the events",
      async () => (await feed.read(-1, 10, { accountId: mine, signalIds: [id] })).entries.length === 4,
    );
    const judged = async (fromMs: number, toMs: number, now: number) => {
      const span = { fromMs: at + fromMs, toMs: at + toMs };
      return failuresOf((await statusHistories(feed, mine, [stored], span, at + now))(stored));
    };
    expect(await judged(-50_000, 100_000, 200_000)).toEqual({
      availability: 0.8,
      failures: { count: 2, totalSeconds: 20, longestSeconds: 15, mttrSeconds: 10, mtbfSeconds: 40 },
    });
    // It was failed when the span began, as its next event says.
    expect(await judged(60_000, 70_000, 200_000)).toMatchObject({
      availability: 0.5,
      failures: { count: 0, totalSeconds: 5, mttrSeconds: 5, mtbfSeconds: null },
    });
    expect(await judged(52_000, 62_000, 200_000)).toMatchObject({
      availability: 0,
      failures: { count: 0, totalSeconds: 10, mttrSeconds: null },
    });
    expect(await judged(20_000, 40_000, 200_000)).toMatchObject({ availability: 1 });
    // What has not been yet, and what was before there was a signal, is not known.
    expect((await judged(0, 100_000, 52_000)).failures).toMatchObject({ count: 2, totalSeconds: 7 });
    expect(await judged(-50_000, -10_000, 200_000)).toMatchObject({ availability: null });
  });
});

describe("an analysis of readings sent along", () => {
  const sent = (strengths: readonly number[], everyMs = MINUTE) =>
    strengths.map((strength, i) => ({ at: iso(START + i * everyMs), strength }));

  test("judges them by the defaults, in whatever order they come", async () => {
    // The default fails below -90 dBm, and clears at -87.5.
    const readings = sent([-60, -95, -95, -60, -60]);
    const found = await analysis({ readings: [...readings].reverse() });
    expect(found).toMatchObject({
      signalId: null,
      from: iso(START),
      to: iso(START + 4 * MINUTE + 1),
      count: 5,
      failures: { count: 1, totalSeconds: 120, longestSeconds: 120, mttrSeconds: 120, mtbfSeconds: 120.001 },
    });
    expect(found.availability).toBeCloseTo(0.5, 4);
    expect(found.series).toMatchObject({ step: "raw", readings: readings.map(({ at }) => ({ at })) });
  });

  test("judges them by the settings of the signal that is named, and stores nothing", async () => {
    const { id } = await create({ threshold: 0.9 });
    const found = await analysis({ readings: sent([-60, -40, -60]), signalIds: [id] });
    expect(found).toMatchObject({ signalId: id, count: 3, failures: { count: 2 } });
    expect((await analysis({ signalIds: [id], ...hour })).count).toBe(0);
  });

  test("keeps to the span that is asked for, and recommends what would have helped", async () => {
    const around = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? -91 : -87));
    const readings = sent([...Array(200).fill(-65), ...around, ...Array(200).fill(-65)]);
    const found = await analysis({ readings, from: iso(START + 10 * MINUTE) });
    expect(found.count).toBe(430);
    expect(found.recommendations).toMatchObject([
      { kind: "hysteresis", change: { hysteresis: 0.1 }, events: { before: 40, after: 2 } },
    ]);
  });

  test("of one reading is of that moment", async () => {
    expect(await analysis({ readings: sent([-60]) })).toMatchObject({ count: 1, availability: 1 });
    expect(await analysis({ readings: sent([-99]) })).toMatchObject({ count: 1, availability: 0 });
  });
});
