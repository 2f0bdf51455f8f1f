import { expect, onTestFinished } from "vitest";
import type { Appended, EventLog } from "../../../src/ports/event-log.ts";
import { bytes, take, texts } from "../../conformance/event-log/reading.ts";
import { brokersOf, openTestKafkaLog } from "../../support/kafka.ts";
import type { TestBroker } from "../../support/kafka-broker.ts";
import { testTelemetry } from "../../support/telemetry.ts";

const CALLERS = 8;

/** A log closed when the test is over, and its counters. */
export const openLog = async (kafka: TestBroker | null, partitions: number) => {
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
export const appending = (log: EventLog, partitions: number) => {
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
export const checkAll = async (log: EventLog, places: ReadonlyMap<string, Appended>, partitions: number) => {
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
