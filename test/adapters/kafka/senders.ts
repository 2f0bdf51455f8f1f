import { onTestFinished } from "vitest";
import { AppendCall } from "../../../src/adapters/kafka/append-call.ts";
import { SendBatch } from "../../../src/adapters/kafka/send-batch.ts";
import { Sender, type SenderSettings } from "../../../src/adapters/kafka/sender.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import { bytes } from "../../conformance/event-log/reading.ts";
import { newPrefix, openTestKafkaLog } from "../../support/kafka.ts";
import { testTelemetry } from "../../support/telemetry.ts";

/** A sender to topic `readings` of a new log, without replicas; with shorter deadlines than in production. */
export const openSender = async (
  brokers: readonly string[],
  partitions: number,
  settings: Partial<SenderSettings> = {},
) => {
  const topicPrefix = newPrefix();
  const topic = `${topicPrefix}readings`;
  const log = await openTestKafkaLog({
    brokers,
    topicPrefix,
    partitions: { readings: partitions },
    replicationFactor: 1,
  });
  onTestFinished(() => log.close());
  const failures: string[] = [];
  let ambiguous = 0;
  const sender = new Sender(
    { durable: true, answeredMaxMs: 1_000, patienceMs: 60_000, ...settings },
    {
      access: { brokers },
      clock: systemClock,
      entropy: systemEntropy,
      telemetry: testTelemetry(),
      ambiguous: { add: (count) => (ambiguous += count) },
      failed: ({ message }) => failures.push(message),
      worked: () => undefined,
    },
  );
  onTestFinished(() => sender.close());
  const everywhere = Array.from({ length: partitions }, (_, partition) => partition);
  /** Writes one record to each of the partitions, as one batch. */
  const send = async (text: string, to: readonly number[] = everywhere) => {
    const records = to.map((partition) => ({ partition, value: bytes(text) }));
    const call = new AppendCall("readings", records, ({ partition }) => partition ?? 0);
    const batch = new SendBatch();
    for (const record of call.records) batch.add(topic, record);
    await sender.send(batch);
    return await call.done;
  };
  return { log, topic, sender, send, failures, ambiguous: () => ambiguous };
};
