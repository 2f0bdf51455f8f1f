import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Membership } from "../../../src/adapters/kafka/membership.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import { brokersOf, kafkaToKill, newPrefix, openTestKafkaLog } from "../../support/kafka.ts";
import { testTelemetry } from "../../support/telemetry.ts";
import { until } from "../../support/until.ts";

const kafka = await kafkaToKill();

describe.skipIf(kafka === null)("a membership of a group on Kafka", () => {
  it("says when the coordinator was asked, not when it answered", async () => {
    const topicPrefix = newPrefix();
    const brokers = kafka === null ? [] : brokersOf(kafka);
    const log = await openTestKafkaLog({ brokers, topicPrefix });
    // Waits for the group's coordinator: one that is only just starting ends a membership.
    await log.committed("g", "readings");
    await log.close();
    const agesMs: number[] = [];
    const membership: Membership = new Membership({
      clock: systemClock,
      entropy: systemEntropy,
      telemetry: testTelemetry(),
      access: { brokers },
      groupId: `${topicPrefix}g`,
      topic: `${topicPrefix}readings`,
      countPartitions: () => 1,
      joining: async () => undefined,
      claim: () => ({ memberId: "", owned: [] }),
      // Nothing is asked for but heartbeats, so that one of them waits for the broker.
      joined: () => membership.pause(0),
      heard: (askedAtMs) => agesMs.push(systemClock.monotonic() - askedAtMs),
      outOfRange: () => undefined,
      batch: async () => undefined,
    });
    const stopping = new AbortController();
    const living = membership.live(stopping.signal);
    await until("heartbeats", () => agesMs.length > 1, 60_000);
    expect(Math.min(...agesMs)).toBeLessThan(1_000);
    await kafka?.freeze();
    // Longer than between two heartbeats, shorter than what a broker may take to answer.
    await delay(3_800);
    const before = agesMs.length;
    await kafka?.thaw();
    await until("its answer", () => agesMs.length > before, 60_000);
    expect(agesMs[before]).toBeGreaterThan(1_000);
    stopping.abort();
    await living;
    await membership.leave();
  });
});
