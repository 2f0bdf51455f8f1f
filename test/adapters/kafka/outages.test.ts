import { describe, expect, it } from "vitest";
import { LogUnavailableError } from "../../../src/ports/event-log.ts";
import { collect, numbered, take, texts } from "../../conformance/event-log/reading.ts";
import { kafkaToKill } from "../../support/kafka.ts";
import { until } from "../../support/until.ts";
import { appending, checkAll, openLog } from "./writers.ts";

const kafka = await kafkaToKill();

describe.skipIf(kafka === null)("a log on Kafka whose broker is away", () => {
  it("waits for a broker that hangs, and writes nothing twice", { timeout: 60_000 }, async () => {
    const { log, metric } = await openLog(kafka, 1);
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

  it("takes nothing that comes later for what it gave up on", { timeout: 60_000 }, async () => {
    const { log, metric } = await openLog(kafka, 1);
    await log.append("readings", numbered("before", 1));
    await kafka?.freeze();
    // The broker may find it in the connection when it wakes up: as many records as the next append has.
    await expect(log.append("readings", numbered("given-up", 1))).rejects.toThrow(LogUnavailableError);
    await kafka?.thaw();
    const append = () => log.append("readings", numbered("after", 1)).catch(() => null);
    const [place] = (await until("the next append", append, 20_000)) ?? [];
    const [stored] = await take(log, "readings", 1, { from: place?.offset ?? 0 });
    expect(stored && texts([stored])).toEqual(["after0"]);
    expect(await metric("log_ambiguous_appends_total")).toBeGreaterThan(0);
  });

  it("tells those who append that it is away, and takes records again when it is back", {
    timeout: 90_000,
  }, async () => {
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
});
