import { describe, expect, it, onTestFinished } from "vitest";
import { AppendCall } from "../../../src/adapters/kafka/append-call.ts";
import { SendBatch } from "../../../src/adapters/kafka/send-batch.ts";
import { Sender, type SenderSettings } from "../../../src/adapters/kafka/sender.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import { LogUnavailableError } from "../../../src/ports/event-log.ts";
import { bytes, take, texts } from "../../conformance/event-log/reading.ts";
import { brokersOf, kafkaToKill, newPrefix, openTestKafkaLog } from "../../support/kafka.ts";
import { testTelemetry } from "../../support/telemetry.ts";
import { until } from "../../support/until.ts";

const kafka = await kafkaToKill();

/** A sender to topic `readings` of a new log; with shorter deadlines than in production. */
const open = async (settings: Partial<SenderSettings> = {}) => {
  const brokers = kafka === null ? [] : brokersOf(kafka);
  const topicPrefix = newPrefix();
  const log = await openTestKafkaLog({ brokers, topicPrefix });
  onTestFinished(() => log.close());
  const failures: string[] = [];
  let ambiguous = 0;
  const sender = new Sender(
    { durable: true, answeredMaxMs: 1_000, patienceMs: 20_000, ...settings },
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
  const send = async (text: string) => {
    const call = new AppendCall("readings", [{ value: bytes(text) }], () => 0);
    const batch = new SendBatch();
    for (const record of call.records) batch.add(`${topicPrefix}readings`, record);
    await sender.send(batch);
    return await call.done;
  };
  return { log, send, failures, ambiguous: () => ambiguous };
};

describe.skipIf(kafka === null)("a producer of Kafka", () => {
  it("writes again by the same producer what a broker that hung did not answer, and so only once", async () => {
    const { log, send, failures, ambiguous } = await open();
    await send("a");
    await kafka?.freeze();
    const sending = send("b");
    await until("three tries", () => failures.length >= 3);
    await kafka?.thaw();
    await sending;
    await send("c");
    expect(texts(await take(log, "readings", 3))).toEqual(["a", "b", "c"]);
    // A broker that was frozen for long is let in anew, and leads nothing meanwhile.
    const bounds = await until("the broker to lead", () => log.bounds("readings").catch(() => null));
    expect(bounds[0]?.end).toBe(3);
    expect(ambiguous()).toBe(0);
  });

  it("takes nothing that comes later for what it gave up on", async () => {
    const { log, send, ambiguous } = await open({ patienceMs: 500 });
    await send("a");
    await kafka?.freeze();
    // The broker finds it in the connection when it wakes up: as many records as the next batch has.
    await expect(send("given up")).rejects.toThrow(LogUnavailableError);
    await kafka?.thaw();
    const [place] = (await until("the next batch", () => send("b").catch(() => null))) ?? [];
    const [stored] = await take(log, "readings", 1, { from: place?.offset ?? 0 });
    expect(stored && texts([stored])).toEqual(["b"]);
    expect(ambiguous()).toBe(1);
  });
});
