import { randomUUID } from "node:crypto";
import { afterAll } from "vitest";
import { openKafkaLog } from "../../src/adapters/kafka/open.ts";
import type { KafkaLogOptions } from "../../src/adapters/kafka/options.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import type { EventLog } from "../../src/ports/event-log.ts";
import type { TestBroker } from "./kafka-broker.ts";
import { ownKafka } from "./kafka-server.ts";
import { testTelemetry } from "./telemetry.ts";

/** Says why a file's tests do not run; under CI they must. */
const missing = (why: string): null => {
  const message = `Kafka tests need KAFKA_BROKERS, Docker, or Java 17 and Maven: ${why}`;
  if (process.env.CI) throw new Error(message);
  process.stderr.write(`skipped: ${message}\n`);
  return null;
};

/**
 * A broker for the tests of one file, that they may kill; null where none can be had. Call it at the file's top.
 * `first`: the one whose cluster it joins.
 */
export const kafkaToKill = async (first?: TestBroker): Promise<TestBroker | null> => {
  const kafka = await ownKafka(first?.ports);
  if ("missing" in kafka) return missing(kafka.missing);
  afterAll(() => kafka.remove());
  return kafka;
};

/** A cluster of two: the second may be killed, the first is its controller, too. Else as `kafkaToKill`. */
export const kafkaCluster = async (): Promise<{
  readonly first: TestBroker;
  readonly second: TestBroker;
} | null> => {
  const first = await kafkaToKill();
  const second = first === null ? null : await kafkaToKill(first);
  return first === null || second === null ? null : { first, second };
};

export const brokersOf = (kafka: TestBroker): readonly string[] => [`127.0.0.1:${kafka.ports.plain}`];

/** Brokers for the tests of one file: those of KAFKA_BROKERS, else one of its own; null where none can be had. */
export const kafkaBrokers = async (): Promise<readonly string[] | null> => {
  const given = process.env.KAFKA_BROKERS;
  if (given) return given.split(",").map((broker) => broker.trim());
  const kafka = await kafkaToKill();
  return kafka === null ? null : brokersOf(kafka);
};

/** Before the topics of one test. */
export const newPrefix = (): string => `test-${randomUUID().slice(0, 8)}-`;

/** A log on Kafka, with what the test does not name as it is in production. */
export const openTestKafkaLog = (
  options: Partial<KafkaLogOptions> & Pick<KafkaLogOptions, "brokers">,
): Promise<EventLog> =>
  openKafkaLog({
    topicPrefix: newPrefix(),
    partitions: {},
    maxBytes: 2 ** 40,
    clock: systemClock,
    entropy: systemEntropy,
    telemetry: testTelemetry(),
    ...options,
  });
