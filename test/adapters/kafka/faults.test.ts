import { describe, expect, it, onTestFinished } from "vitest";
import { type EventLog, LogUnavailableError } from "../../../src/ports/event-log.ts";
import { collect, numbered } from "../../conformance/event-log/reading.ts";
import { kafkaToKill } from "../../support/kafka.ts";
import { until } from "../../support/until.ts";
import { appending, checkAll, openLog } from "./writers.ts";

const kafka = await kafkaToKill();

describe.skipIf(kafka === null)("a log on Kafka", () => {
  it("loses and doubles nothing when the broker is killed amid appends, and members go on", async () => {
    const { log, metric } = await openLog(kafka, 2);
    const seen = await collect(log, { group: "g", topic: "readings" });
    await until("the assignments", () => seen.assignments.size === 2);
    const tail = follow(log);
    const writers = appending(log, 2);
    for (let round = 0; round < 2; round++) {
      const before = writers.places.size;
      await until("records", () => writers.places.size > before + 200);
      await kafka?.kill();
      await until("the failure", () => log.health().state === "down");
      await kafka?.start();
      // The broker is a while at its recovery, and longer where others keep the machine busy.
      await until("records again", () => writers.places.size > before + 400, 150_000);
    }
    await writers.stop();
    await checkAll(log, writers.places, 2);
    expect(await metric("log_ambiguous_appends_total")).toBe(0);
    const read = () => new Set(seen.records.map(({ partition, offset }) => `${partition}/${offset}`)).size;
    await until("the member to read all", () => read() === writers.places.size);
    for (const partition of [0, 1]) {
      const offsets = seen.records.filter((each) => each.partition === partition).map(({ offset }) => offset);
      // Nothing is committed here: a member that had to begin a new life reads from the start, and in order.
      for (const [i, offset] of offsets.entries())
        if (offset !== 0) expect(offset).toBe((offsets[i - 1] ?? Number.NaN) + 1);
      expect(new Set(offsets).size).toBe(Math.max(...offsets) + 1);
    }
    expect(seen.member.trouble()).toBeNull();
    const inFirst = [...writers.places.values()].filter(({ partition }) => partition === 0).length;
    await until("the tail to read all", () => tail.length === inFirst);
    await until("health", () => log.health().state === "ok");
    await seen.member.stop();
  });

  it("closes within seconds while the broker is away", async () => {
    const { log } = await openLog(kafka, 1);
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
