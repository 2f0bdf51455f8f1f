import fc from "fast-check";
import { expect, test } from "vitest";
import { systemClock } from "../../src/adapters/system/clock.ts";
import type { ReadingColumns } from "../../src/domain/reading-columns.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { eventRecord } from "../../src/domain/records.ts";
import { type TimeSeries, TimeSeriesUnavailableError } from "../../src/ports/time-series.ts";
import { ManualClock } from "../support/clock.ts";
import { readingsIn } from "../support/readings.ts";
import { asZombie, sharedTimeSeries, TestRecord } from "../support/record.ts";
import { accountId, bytes, event, signalId } from "../support/rows.ts";
import { until } from "../support/until.ts";

const timeSeries = sharedTimeSeries();
const START = Date.UTC(2026, 0, 31, 9);
const EVER = { fromMs: Date.UTC(2000, 0, 1), toMs: Date.UTC(2100, 0, 1), limit: 10_000, skipAtFrom: 0 };
const block = (id: string, count: number, from = 0): string =>
  Array.from({ length: count }, (_, i) => readingLine(id, START + from + i, -40 - (i % 50))).join("");

test("blocks are stored, and what is no block is passed over", async () => {
  const record = await TestRecord.open(timeSeries());
  await record.start();
  await record.append("readings", ["{}"], { kind: "change" });
  await record.append("readings", [block(signalId(1), 3), block(signalId(1), 2, 3)]);
  await record.append("readings", [""], { kind: "tick" });
  await record.untilDone(4);
  expect(await record.stored()).toBe(5);
  expect(await timeSeries().rawReadings({ signalId: signalId(1), ...EVER })).toHaveLength(5);
  expect(await record.metric('record_rows_total{topic="readings"}')).toBe(5);
});

test("a block is stored whatever headers it has beside `kind`, as it is evaluated", async () => {
  const record = await TestRecord.open(timeSeries());
  await record.start();
  const traced = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };
  await record.untilDone(await record.append("readings", [block(signalId(1), 3)], traced));
  expect(await record.stored()).toBe(3);
});

test("a range without a single reading still moves on", async () => {
  const record = await TestRecord.open(timeSeries());
  await record.start();
  await record.append("readings", ["", "", "rubbish\n"], { kind: "tick" });
  await record.append("readings", ["rubbish\n\u0000\n"]);
  await record.untilDone(4);
  expect(await record.stored()).toBe(0);
});

test("of a block with bad lines the good ones are stored, as the shared grammar tells them apart", async () => {
  const record = await TestRecord.open(timeSeries());
  await record.start();
  const id = signalId(2);
  const good = (n: number) => readingLine(id, START + n, -40);
  const future = Date.now() + 3_600_000;
  await record.append("readings", [
    `${good(0)}${id}\t${future}\t-40\n${good(1)}`,
    `\n\n${good(2)}${id}\t${START}\tnan\n${id}\t${START}\t-40\t\n${good(3)}\n`,
    // No newline at the end: the next block's first line must not be glued to it.
    `${good(4).trimEnd()}`,
    `${good(5)}not_an_id\t${START}\t-40\n`,
    `${id}\t${START}\t51\n`,
  ]);
  await record.untilDone(5);
  const rows = await timeSeries().rawReadings({ signalId: id, ...EVER });
  expect(rows.map(({ atMs }) => atMs - START)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(await record.stored()).toBe(6);
  expect(await record.metric('record_invalid_lines_total{problem="time_out_of_range"}')).toBe(1);
});

test("the engine takes every line that the grammar takes, and reads the same of it", async () => {
  const record = await TestRecord.open(timeSeries());
  await record.start();
  const strength = fc
    .tuple(
      fc.constantFrom("", "-"),
      fc.stringMatching(/^0{0,3}[1-4]?\d$/),
      fc.stringMatching(/^(\.\d{1,9})?$/),
    )
    .map((parts) => parts.join(""));
  const lines = fc.sample(strength, { numRuns: 2_000, seed: 7 });
  const id = signalId(3);
  const text = lines.map((dBm, i) => `${id}\t${START + i}\t${dBm}\n`).join("");
  await record.untilDone(await record.append("readings", [text]));
  const rows = await timeSeries().rawReadings({ signalId: id, ...EVER });
  expect(rows.map(({ atMs, strength: dBm }) => [atMs, Math.fround(dBm) + 0])).toEqual(
    lines.map((dBm, i) => [START + i, Math.fround(Number(dBm)) + 0]),
  );
});

test.each([
  ["had been inserted", true],
  ["had not been inserted", false],
])(
  "a range that was pending when a worker died and %s is there once, and only it under its token",
  async (_, inserted) => {
    const record = await TestRecord.open(timeSeries());
    const blocks = [0, 1, 2, 3].map((i) => block(signalId(4), 10, i * 10));
    await record.append("readings", blocks);
    await record.moveOn({ done: 1, pendingEnd: null });
    await record.moveOn({ done: 1, pendingEnd: 3 });
    const token = `${record.log.logId}/readings/0/1-2`;
    const range = blocks.slice(1, 3).map(bytes);
    if (inserted) await timeSeries().insertReadings(token, readingsIn(range));
    await record.start();
    await record.untilDone(4);
    // Blocks 1 and 2 once, block 3 as a new range; block 0 was done before.
    expect(await record.stored()).toBe(30);
    await timeSeries().insertReadings(token, readingsIn(range));
    expect(await record.stored()).toBe(30);
  },
);

test("partitions that gather at once are inserted one after the other", async () => {
  const record = await TestRecord.open(timeSeries(), { partitions: { readings: 3 } });
  const clock = new ManualClock();
  await record.start({ clock, settings: { readingsLingerMs: 1_000, readingsApartMs: 250 } });
  const flushes = () => record.metric('record_flush_seconds_count{topic="readings"}');
  const append = (partition: number) =>
    record.log.append("readings", [{ partition, value: bytes(block(signalId(20 + partition), 10)) }]);
  const buffered = () => record.metric("record_buffer_bytes");
  await append(0);
  await until("a record to be buffered", async () => (await buffered()) > 0);
  const one = await buffered();
  await append(1);
  await append(2);
  // All of them: a partition whose records come after the clock has moved has its turn much later.
  await until("the records to be buffered", async () => (await buffered()) === 3 * one);
  clock.advance(1_000);
  await until("the first partition to be inserted", async () => (await flushes()) === 1);
  clock.advance(249);
  expect(await record.stored()).toBe(10);
  clock.advance(1);
  await until("the second partition to be inserted", async () => (await flushes()) === 2);
  expect(await record.stored()).toBe(20);
  clock.advance(250);
  await until("the third partition to be inserted", async () => (await flushes()) === 3);
  expect(await record.stored()).toBe(30);
});

test("a claim lost to another worker drops what that one did, and nothing else", async () => {
  const record = await TestRecord.open(timeSeries());
  const clock = new ManualClock();
  await record.append("readings", [block(signalId(5), 10), block(signalId(5), 10, 10)]);
  await record.start({ clock, settings: { readingsLingerMs: 1_000 } });
  await until("the records to be buffered", async () => (await record.metric("record_buffer_bytes")) > 500);
  // Meanwhile the other takes the first record, inserts it, and is done.
  await record.moveOn({ done: 0, pendingEnd: 1 });
  await timeSeries().insertReadings(
    `${record.log.logId}/readings/0/0-0`,
    readingsIn([bytes(block(signalId(5), 10))]),
  );
  await record.moveOn({ done: 1, pendingEnd: null });
  clock.advance(1_000);
  await record.untilDone(2);
  expect(await record.stored()).toBe(20);
  expect(await record.metric("record_lost_claims_total")).toBe(1);
});

test("a claim that another has done meanwhile is not sent after a standstill: its token may be forgotten", async () => {
  const record = await TestRecord.open(timeSeries());
  const { heal, failing } = outage(timeSeries());
  let standstillMs = 0;
  const clock = { ...systemClock, monotonic: () => performance.now() + standstillMs };
  await record.start({ clock, timeSeries: failing });
  await record.append("readings", [block(signalId(8), 10)]);
  await until("the claim", async () => (await record.progress()).pendingEnd === 1);
  // The other has inserted the range and is done; by the engine's memory that was long ago.
  await timeSeries().insertReadings("of the other", readingsIn([bytes(block(signalId(8), 10))]));
  await record.moveOn({ done: 1, pendingEnd: null });
  standstillMs = 60_000;
  heal();
  await until("the loss to be noticed", async () => (await record.metric("record_lost_claims_total")) === 1);
  await record.append("readings", [block(signalId(8), 1, 10)]);
  await record.untilDone(2);
  expect(await record.stored()).toBe(11);
});

test("two workers on one partition store everything once", async () => {
  const record = await TestRecord.open(timeSeries());
  const settings = { readingsLingerMs: 1 };
  await Promise.all([record.start({ settings }), record.start({ settings, log: asZombie(record.log) })]);
  for (let i = 0; i < 30; i++) await record.append("readings", [block(signalId(6), 100, i * 100)]);
  await record.untilDone(30);
  expect(await record.stored()).toBe(3_000);
});

/** The real engine, out of reach until `heal`. */
const outage = (real: TimeSeries) => {
  const healed = Promise.withResolvers<void>();
  let isHealed = false;
  return {
    heal: () => {
      isHealed = true;
      healed.resolve();
    },
    failing: {
      ...real,
      insertReadings: async (token: string, readings: readonly ReadingColumns[], signal?: AbortSignal) => {
        if (!isHealed) throw new TimeSeriesUnavailableError("no route");
        await real.insertReadings(token, readings, signal);
      },
    },
    hanging: {
      ...real,
      insertReadings: async (token: string, readings: readonly ReadingColumns[], signal?: AbortSignal) => {
        await healed.promise;
        await real.insertReadings(token, readings, signal);
      },
    },
  };
};

test("while the engine is away the worker says so and keeps trying; then all is stored and it is well", async () => {
  const record = await TestRecord.open(timeSeries());
  const { heal, failing } = outage(timeSeries());
  const worker = await record.start({ timeSeries: failing });
  await record.append("readings", [block(signalId(7), 5)]);
  await until("the outage to show", () => worker.health()[0]?.state === "degraded");
  expect(worker.health()[0]?.detail).toContain("readings/0: TimeSeriesUnavailableError: no route");
  expect(await record.progress()).toEqual({ done: 0, pendingEnd: 1 });
  heal();
  await record.untilDone(1);
  expect(await record.stored()).toBe(5);
  expect(worker.health()).toEqual([{ name: "record", state: "ok", detail: null }]);
});

test("a range that fails in a way nobody expected is tried again by itself, and stored once", async () => {
  const record = await TestRecord.open(timeSeries());
  let broken = true;
  const insertReadings: TimeSeries["insertReadings"] = async (token, readings, signal) => {
    await timeSeries().insertReadings(token, readings, signal);
    if (broken) throw new Error("nobody thought of this");
  };
  const worker = await record.start({ timeSeries: { ...timeSeries(), insertReadings } });
  const end = await record.append(
    "readings",
    [0, 1, 2].map((i) => block(signalId(11), 10, i * 10)),
  );
  await until("the failure to show", () => worker.health()[0]?.state === "degraded");
  expect(worker.health()[0]?.detail).toContain("tried again: nobody thought of this");
  broken = false;
  await record.untilDone(end);
  expect(await record.stored()).toBe(30);
  expect(worker.health()).toEqual([{ name: "record", state: "ok", detail: null }]);
});

test("its lag counts what was read and is not recorded yet", async () => {
  const record = await TestRecord.open(timeSeries());
  const clock = new ManualClock();
  const { heal, hanging } = outage(timeSeries());
  await record.start({ timeSeries: hanging, clock });
  const end = await record.append(
    "readings",
    [0, 1, 2].map((i) => block(signalId(12), 1, i)),
  );
  const lag = (records: number) =>
    until(`a lag of ${records}`, async () => {
      clock.advance(1_000);
      return (await record.metric('record_lag{topic="readings",partition="0"}')) === records;
    });
  await until("the records to be read", async () => (await record.metric("record_buffer_bytes")) > 300);
  await lag(3);
  heal();
  await record.untilDone(end);
  await lag(0);
});

test("what holds nothing to record is passed over at once, and takes no turn", async () => {
  const record = await TestRecord.open(timeSeries());
  await record.start({ clock: new ManualClock(), settings: { readingsLingerMs: 1_000 } });
  for (let end = 1; end <= 3; end++) {
    await record.append("readings", [""], { kind: "tick" });
    await record.untilDone(end);
  }
});

test("what waits is bounded while inserts hang, and all of it is stored afterwards", async () => {
  const record = await TestRecord.open(timeSeries());
  const { heal, hanging } = outage(timeSeries());
  const text = block(signalId(8), 5_000);
  const bufferBytes = 1_000_000;
  const end = await record.append(
    "readings",
    Array.from({ length: 40 }, () => text),
  );
  await record.start({ timeSeries: hanging, settings: { bufferBytes, readingsBatchBytes: 300_000 } });
  await until(
    "the buffer to be full",
    async () => (await record.metric("record_buffer_bytes")) >= bufferBytes,
  );
  // An event's whole way is long enough for many more batches, were they asked for.
  await record.untilDone(await record.append("events", ["{}"]), "events");
  expect(await record.metric("record_buffer_bytes")).toBeLessThan(bufferBytes + 1_100_000);
  heal();
  await record.untilDone(end);
  expect(await record.stored()).toBe(200_000);
  expect(await record.metric("record_buffer_bytes")).toBe(0);
});

test("stopping stores what is gathered, and a stop amid an outage is not held up for long", async () => {
  const record = await TestRecord.open(timeSeries());
  const patient = await record.start({ settings: { readingsLingerMs: 3_600_000 } });
  await record.append("readings", [block(signalId(9), 5)]);
  await until("the record to be buffered", async () => (await record.metric("record_buffer_bytes")) > 0);
  await patient.stop();
  expect(await record.stored()).toBe(5);
  expect(await record.progress()).toEqual({ done: 1, pendingEnd: null });

  const stuck = await record.start({ timeSeries: outage(timeSeries()).failing });
  await record.append("readings", [block(signalId(9), 5, 5)]);
  await until("the outage to show", () => stuck.health()[0]?.state === "degraded");
  await stuck.stop();
  expect(await record.progress()).toEqual({ done: 1, pendingEnd: 2 });
  await record.start();
  await record.untilDone(2);
  expect(await record.stored()).toBe(10);
}, 15_000);

test("events are stored at their offsets, a copy keeps its first, and rubbish among them is passed over", async () => {
  const record = await TestRecord.open(timeSeries());
  await record.start();
  const owner = accountId(1);
  const failed = event(1, { kind: "signal.failed", at: START, sequence: 1 });
  const updated = event(2, { kind: "signal.updated", at: START + 1, sequence: 2 });
  const addressed = (of: typeof failed) =>
    eventRecord({ accountId: owner, signalId: signalId(10), event: of });
  await record.append("events", ["rubbish"]);
  await record.log.append("events", [addressed(failed)]);
  await record.untilDone(2, "events");
  await record.log.append("events", [addressed(failed), addressed(updated)]);
  await record.append("events", ["{}"]);
  await record.untilDone(5, "events");
  expect(await timeSeries().events({ accountId: owner, limit: 10 })).toEqual([
    { position: 1, accountId: owner, signalId: signalId(10), event: failed },
    { position: 3, accountId: owner, signalId: signalId(10), event: updated },
  ]);
  expect(await record.metric("record_unreadable_events_total")).toBe(2);
});
