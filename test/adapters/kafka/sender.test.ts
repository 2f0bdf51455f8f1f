import { describe, expect, it } from "vitest";
import type { SenderSettings } from "../../../src/adapters/kafka/sender.ts";
import { LogUnavailableError } from "../../../src/ports/event-log.ts";
import { take, texts } from "../../conformance/event-log/reading.ts";
import { brokersOf, kafkaToKill } from "../../support/kafka.ts";
import { until } from "../../support/until.ts";
import { openSender } from "./senders.ts";

const kafka = await kafkaToKill();
const open = (partitions: number, settings?: Partial<SenderSettings>) =>
  openSender(kafka === null ? [] : brokersOf(kafka), partitions, settings);

/** The broker hangs for three tries, and answers again. */
const sentWhileHung = async (send: () => Promise<unknown>, failures: readonly string[]): Promise<void> => {
  await kafka?.freeze();
  const sending = send();
  await until("three tries", () => failures.length >= 3);
  await kafka?.thaw();
  await sending;
};

describe.skipIf(kafka === null)("a producer of Kafka", () => {
  it("writes again by the same producer what a broker that hung did not answer, and so only once", async () => {
    const { log, send, failures, ambiguous } = await open(1);
    await send("a");
    await sentWhileHung(() => send("b"), failures);
    await send("c");
    expect(texts(await take(log, "readings", 3))).toEqual(["a", "b", "c"]);
    // A broker that was frozen for long is let in anew, and leads nothing meanwhile.
    const bounds = await until("the broker to lead", () => log.bounds("readings").catch(() => null));
    expect(bounds[0]?.end).toBe(3);
    expect(ambiguous()).toBe(0);
  });

  it("takes nothing that comes later for what it gave up on", async () => {
    const { log, send, ambiguous } = await open(1, { patienceMs: 500 });
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

  it.each(["before anything was sent", "later"])(
    "writes the records of many partitions once to a broker that hung %s",
    async (when) => {
      const { log, sender, send, failures, ambiguous } = await open(12);
      await sender.connect();
      const before = when === "later" ? ["a"] : [];
      for (const text of before) await send(text);
      await sentWhileHung(() => send("b"), failures);
      await send("c");
      const bounds = await until("the broker to lead", () => log.bounds("readings").catch(() => null));
      expect(bounds.map(({ end }) => end)).toEqual(bounds.map(() => before.length + 2));
      for (const { partition, end } of bounds)
        expect(texts(await take(log, "readings", end, { partition }))).toEqual([...before, "b", "c"]);
      expect(ambiguous()).toBe(0);
    },
  );
});
