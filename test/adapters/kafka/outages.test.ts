import { describe, expect, it } from "vitest";
import { LogUnavailableError } from "../../../src/ports/event-log.ts";
import { collect, numbered, texts } from "../../conformance/event-log/reading.ts";
import { kafkaToKill } from "../../support/kafka.ts";
import { until } from "../../support/until.ts";
import { openLog } from "./writers.ts";

const kafka = await kafkaToKill();

describe.skipIf(kafka === null)("a log on Kafka whose broker is away", () => {
  it("tells those who append that it is away, and takes records again when it is back", async () => {
    const { log, metric } = await openLog(kafka, 1);
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
    await until("the member's trouble", () => member.member.trouble() !== null);
    await kafka?.start();
    await until("records to be taken", () => log.append("readings", numbered("c", 1)).catch(() => null));
    await until("the record", () => texts(member.records).includes("c0"));
    await until("health", () => log.health().state === "ok" && member.member.trouble() === null);
  });
});
