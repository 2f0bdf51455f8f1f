import { describe, expect, it, onTestFinished } from "vitest";
import type { Appended, EventLog } from "../../../src/ports/event-log.ts";
import { LogUnavailableError } from "../../../src/ports/event-log.ts";
import { bytes, collect, numbered, take, texts } from "../../conformance/event-log/reading.ts";
import { brokersOf, kafkaToKill, openTestKafkaLog } from "../../support/kafka.ts";
import { testTelemetry } from "../../support/telemetry.ts";
import { until } from "../../support/until.ts";

const kafka = await kafkaToKill();
const CALLERS = 8;

const openLog = async (partitions: number) => {
  const telemetry = testTelemetry();
  const log = await openTestKafkaLog({
    brokers: kafka === null ? [] : brokersOf(kafka),
    partitions: { readings: partitions },
    telemetry,
  });
  onTestFinished(() => log.close());
  const metric = async (name: string) =>
    Number(new RegExp(`^${name} (\\d+)$`, "m").exec((await telemetry.metrics.expose()).text)?.[1] ?? 0);
  return { log, metric };
};

/** Callers that append one record after the other, each to its partition, until they are stopped. */
const appending = (log: EventLog, partitions: number) => {
  const places = new Map<string, Appended>();
  let stopped = false;
  const call = async (caller: number) => {
    for (let i = 0; !stopped; i++) {
      const text = `${caller}.${i}`;
      const record = { partition: caller % partitions, value: bytes(text) };
      const [place] = await log.append("readings", [record]);
      if (place !== undefined) places.set(text, place);
    }
  };
  const running = Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)));
  const stop = async () => {
    stopped = true;
    await running;
  };
  return { places, stop };
};

/** Everything acknowledged stands where it was said to, once, in the order of each caller. */
const checkAll = async (log: EventLog, places: ReadonlyMap<string, Appended>, partitions: number) => {
  const acknowledged = [...places.values()];
  for (let partition = 0; partition < partitions; partition++) {
    const count = acknowledged.filter((place) => place.partition === partition).length;
    const end = (await log.bounds("readings"))[partition]?.end ?? 0;
    expect(end).toBe(count);
    const stored = texts(await take(log, "readings", count, { partition }));
    for (const [offset, text] of stored.entries())
      expect(places.get(text)).toMatchObject({ partition, offset });
  }
};

describe.skipIf(kafka === null)("a log on Kafka", () => {
  it("loses and doubles nothing when the broker is killed amid appends, and members go on", {
    timeout: 60_000,
  }, async () => {
    const { log, metric } = await openLog(2);
    const seen = await collect(log, { group: "g", topic: "readings" });
    const tail = follow(log);
    const writers = appending(log, 2);
    for (let round = 0; round < 2; round++) {
      const before = writers.places.size;
      await until("records", () => writers.places.size > before + 200);
      await kafka?.kill();
      await until("the failure", () => log.health().state === "down");
      await kafka?.start();
      await until("records again", () => writers.places.size > before + 400, 20_000);
    }
    await writers.stop();
    await checkAll(log, writers.places, 2);
    expect(await metric("log_ambiguous_appends_total")).toBe(0);
    await until("the member to read all", () => seen.records.length >= writers.places.size, 20_000);
    for (const partition of [0, 1]) {
      const offsets = seen.records.filter((each) => each.partition === partition).map(({ offset }) => offset);
      expect(offsets).toEqual(offsets.map((_, i) => i));
    }
    expect(seen.revoked).toEqual([]);
    expect(seen.member.trouble()).toBeNull();
    const inFirst = [...writers.places.values()].filter(({ partition }) => partition === 0).length;
    await until("the tail to read all", () => tail.length === inFirst);
    await until("health", () => log.health().state === "ok");
    await seen.member.stop();
  });

  it("waits for a broker that hangs, and writes nothing twice", { timeout: 60_000 }, async () => {
    const { log, metric } = await openLog(1);
    const writers = appending(log, 1);
    await until("records", () => writers.places.size > 100);
    await kafka?.freeze();
    await until("the failure", () => log.health().state === "down", 20_000);
    await kafka?.thaw();
    const before = writers.places.size;
    await until("records again", () => writers.places.size > before + 100, 20_000);
    await writers.stop();
    await checkAll(log, writers.places, 1);
    expect(await metric("log_ambiguous_appends_total")).toBe(0);
  });

  it("tells those who append that it is away, and takes records again when it is back", {
    timeout: 90_000,
  }, async () => {
    const { log, metric } = await openLog(1);
    const member = await collect(log, { group: "g", topic: "readings" });
    await until("the assignment", () => member.assignments.size === 1);
    await kafka?.kill();
    const startedAt = performance.now();
    const underWay = log.append("readings", numbered("a", 1));
    await until("the failure", () => log.health().state === "down");
    expect(log.health().detail).toMatch(/^Kafka at 127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED/);
    const waiting = log.append("readings", numbered("b", 1));
    await expect(waiting).rejects.toThrow(LogUnavailableError);
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    await expect(underWay).rejects.toThrow(LogUnavailableError);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(await metric("log_ambiguous_appends_total")).toBeLessThanOrEqual(1);
    await expect(log.bounds("readings")).rejects.toThrow(LogUnavailableError);
    await until("the member's trouble", () => member.member.trouble() !== null, 20_000);
    await kafka?.start();
    await until(
      "records to be taken",
      () => log.append("readings", numbered("c", 1)).catch(() => null),
      20_000,
    );
    await until("the record", () => texts(member.records).includes("c0"), 30_000);
    await until("health", () => log.health().state === "ok" && member.member.trouble() === null);
  });

  it("closes within seconds while the broker is away", { timeout: 60_000 }, async () => {
    const { log } = await openLog(1);
    const member = await collect(log, { group: "g", topic: "readings" });
    await until("the assignment", () => member.assignments.size === 1);
    await kafka?.kill();
    const append = log.append("readings", numbered("a", 1));
    const refused = expect(append).rejects.toThrow(LogUnavailableError);
    const startedAt = performance.now();
    await log.close();
    await refused;
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    expect(member.revoked).toEqual([0]);
    await kafka?.start();
  });
});

/** Offsets of partition 0 as a tail gives them, checked to be without gaps. */
function follow(log: EventLog): number[] {
  const offsets: number[] = [];
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const read = async () => {
    for await (const batch of log.tail("readings", { from: 0, signal: ending.signal }))
      for (const { offset } of batch) {
        expect(offset).toBe(offsets.length);
        offsets.push(offset);
      }
  };
  void read();
  return offsets;
}
