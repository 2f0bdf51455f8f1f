import { join } from "node:path";
import { Kafka, logLevel } from "kafkajs";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSqliteControl } from "../../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { partitionOf } from "../../src/domain/partition.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { changeRecord, type OutgoingRecord } from "../../src/domain/records.ts";
import { startEvaluate } from "../../src/evaluate/evaluate.ts";
import type { EventLog } from "../../src/ports/event-log.ts";
import { Chance } from "../faults/chance.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { allRecords } from "../support/engines.ts";
import { allEvaluated } from "../support/evaluate.ts";
import { kafkaBrokers, newPrefix, openTestKafkaLog } from "../support/kafka.ts";
import { ruleChange, signalChange, signalId } from "../support/partition.ts";
import { testTelemetry } from "../support/telemetry.ts";
import { until } from "../support/until.ts";

const PARTITIONS = 8;
const SIGNALS = 80;
const BLOCKS = 300;
const LINES = 400;
const brokers = await kafkaBrokers();

/** Signals, a rule that waits and one that does not, then blocks that hold the readings of any of their partition. */
const record = async (log: EventLog): Promise<void> => {
  const chance = new Chance(7);
  const numbers = Array.from({ length: SIGNALS }, (_, index) => index + 1);
  const rules = [
    ruleChange(1, { forSeconds: 2, keepFiringForSeconds: 3 }),
    ruleChange(2, { condition: { operator: "above", value: -60 } }),
  ];
  const firsts: OutgoingRecord[] = [
    ...Array.from({ length: PARTITIONS }, (_, partition) =>
      rules.map((rule) => changeRecord(rule, partition)),
    ).flat(),
    ...numbers.map((n) =>
      changeRecord(signalChange(n, { threshold: 0.3 }), partitionOf(signalId(n), PARTITIONS)),
    ),
  ];
  await log.append("readings", firsts);
  const byPartition = Map.groupBy(numbers, (n) => partitionOf(signalId(n), PARTITIONS));
  let atMs = Date.now() - 86_400_000;
  for (let block = 0; block < BLOCKS; block++) {
    const [partition, signals] = chance.oneOf([...byPartition]);
    const lines = Array.from({ length: LINES }, () => {
      atMs += 20;
      const strength = chance.next() < 0.02 ? Math.round(chance.between(-110, -45)) : -65;
      return readingLine(signalId(chance.oneOf(signals)), atMs, strength);
    });
    await log.append("readings", [{ partition, value: new TextEncoder().encode(lines.join("")) }]);
  }
};

describe.skipIf(brokers === null)("evaluators that share a log", () => {
  const prefix = newPrefix();
  const opened = async () => {
    const options = { brokers: brokers ?? [], topicPrefix: prefix, partitions: { readings: PARTITIONS } };
    const log = await openTestKafkaLog(options);
    onTestFinished(() => log.close());
    return log;
  };
  /** What the group has committed, as soon as its last member has left it. */
  const forget = async () => {
    const admin = new Kafka({ brokers: [...(brokers ?? [])], logLevel: logLevel.NOTHING }).admin();
    const deleted = () => admin.deleteGroups([`${prefix}evaluate`]).catch(() => null);
    await until("the group to be deleted", deleted);
    await admin.disconnect();
  };
  /** From the log's first record, with no state of an earlier run; gives what each signal's events are, byte by byte. */
  const evaluated = async (workers: number): Promise<Map<string, string>> => {
    const surroundings = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
    const path = join(await temporaryDirectory(), "control.db");
    const control = await openSqliteControl({ path, secretKey: new Uint8Array(32), ...surroundings });
    const reader = await opened();
    const [{ end: from = 0 } = {}] = await reader.bounds("events");
    const running = [];
    // The log is to stay as it is: a tick of one run would be a record more for the next.
    const settings = { commitEveryMs: 10, tickAfterMs: Number.POSITIVE_INFINITY };
    for (let n = 0; n < workers; n++) {
      const log = await opened();
      running.push(await startEvaluate({ log, control, ...surroundings, settings }));
    }
    await allEvaluated(reader);
    await Promise.all(running.map((worker) => worker.stop()));
    await control.close();
    await forget();
    const told = (await allRecords(reader, "events")).filter(({ offset }) => offset >= from);
    const bySignal = Map.groupBy(told, ({ key }) => String(key));
    return new Map(
      [...bySignal].map(([key, records]) => [
        key,
        records.map(({ value }) => Buffer.from(value).toString()).join("\n"),
      ]),
    );
  };

  it("tell the same, to the byte, whether there are one, two or four", async () => {
    await record(await opened());
    const alone = await evaluated(1);
    expect(alone.size).toBe(SIGNALS);
    expect([...alone.values()].join("").length).toBeGreaterThan(1_000_000);
    expect(await evaluated(2)).toEqual(alone);
    expect(await evaluated(4)).toEqual(alone);
  });
});
