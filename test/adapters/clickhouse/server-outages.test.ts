import { expect, onTestFinished, test } from "vitest";
import { readingLine } from "../../../src/domain/reading-line.ts";
import { type TimeSeries, TimeSeriesUnavailableError } from "../../../src/ports/time-series.ts";
import { accessTo, clickHouseToKill, openTestServer } from "../../support/clickhouse.ts";
import { readingsIn } from "../../support/readings.ts";
import { TestRecord } from "../../support/record.ts";
import { bytes, signalId } from "../../support/rows.ts";
import { until } from "../../support/until.ts";

const server = await clickHouseToKill();
const START = Date.UTC(2026, 0, 1);

const open = async (): Promise<TimeSeries> => {
  const timeSeries = await openTestServer(accessTo(server), { retryForMs: 500 });
  onTestFinished(() => timeSeries.close());
  return timeSeries;
};
const block = (signal: number, rows: number): string =>
  Array.from({ length: rows }, (_, i) => readingLine(signalId(signal), START + i, -50)).join("");
const growth = async (timeSeries: TimeSeries, task: () => Promise<unknown>): Promise<number> => {
  const before = await timeSeries.readingCounts();
  await task();
  const after = await timeSeries.readingCounts();
  expect({ ...after, minute: after.minute - before.minute, hour: after.hour - before.hour }).toEqual({
    raw: after.raw,
    minute: after.raw - before.raw,
    hour: after.raw - before.raw,
  });
  return after.raw - before.raw;
};

test("while a server is away inserts fail as unavailable and its health says so; both are well when it is back", async () => {
  const timeSeries = await open();
  const body = [bytes(block(1, 10))];
  const grown = await growth(timeSeries, async () => {
    await timeSeries.insertReadings("before", readingsIn(body));
    await server.kill();
    const insert = timeSeries.insertReadings("amid", readingsIn(body));
    await expect(insert).rejects.toThrow(TimeSeriesUnavailableError);
    await expect(insert).rejects.toThrow(/cannot be reached.*ECONNREFUSED/);
    await until("health to say so", () => timeSeries.health().state === "down");
    expect(timeSeries.health().detail).toMatch(/^ClickHouse at 127\.0\.0\.1:\d+: it cannot be reached/);
    await server.start();
    await until("it to be well, though nobody asks for data", () => timeSeries.health().state === "ok");
    await timeSeries.insertReadings("amid", readingsIn(body));
  });
  expect(grown).toBe(20);
});

test("a server that hangs is told, and what it was asked is answered when it goes on", async () => {
  const timeSeries = await open();
  const grown = await growth(timeSeries, async () => {
    await server.freeze();
    const insert = timeSeries.insertReadings("frozen", readingsIn([bytes(block(2, 10))]));
    await until("health to say so", () => timeSeries.health().state === "down");
    expect(timeSeries.health().detail).toContain("Timeout");
    await server.thaw();
    await insert;
    await until("it to be well", () => timeSeries.health().state === "ok");
  });
  expect(grown).toBe(10);
});

test("a record worker goes on by itself whenever its server is killed and started again, and stores each reading once", async () => {
  const timeSeries = await open();
  const record = await TestRecord.open(timeSeries);
  const worker = await record.start();
  const rounds = 3;
  for (let round = 0; round < rounds; round++) {
    const end = await record.append("readings", [block(10 + round, 50_000)]);
    const isBegun = async () => {
      const { done, pendingEnd } = await record.progress();
      return pendingEnd === end || done === end;
    };
    await until("the insert to begin", isBegun);
    await server.kill();
    await record.append("readings", [block(20 + round, 100)]);
    await until("the worker to say so", () => worker.health()[0]?.state === "degraded");
    expect(worker.health()[0]?.detail).toMatch(/TimeSeriesUnavailableError: it cannot be reached/);
    await server.start();
    await record.untilDone(end + 1);
  }
  expect(await record.stored()).toBe(rounds * 50_100);
  expect(worker.health()).toEqual([{ name: "record", state: "ok", detail: null }]);
});
