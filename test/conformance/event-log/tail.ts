import { describe, expect, it } from "vitest";
import type { LogRecord } from "../../../src/domain/log-record.ts";
import type { EventLog, TailOptions, Topic } from "../../../src/ports/event-log.ts";
import { until } from "../../support/until.ts";
import type { OpenLog } from "../event-log.ts";
import { numbered, take, texts } from "./reading.ts";

/** Tails in the background; the call of `tail` itself is made before this returns. */
const follow = (log: EventLog, topic: Topic, options: Omit<TailOptions, "signal">) => {
  const ending = new AbortController();
  const records: LogRecord[] = [];
  const batches = log.tail(topic, { ...options, signal: ending.signal });
  const ended = (async () => {
    for await (const batch of batches) records.push(...batch);
  })();
  const end = async () => {
    ending.abort();
    await ended;
  };
  return { records, ended, end };
};

export const tailBehaviour = (open: OpenLog): void => {
  describe("tail", () => {
    it("reads from an offset on, then goes on with what is appended", async () => {
      const { log } = await open({ partitions: { readings: 2 } });
      await log.append("readings", [...numbered("a", 5, 1), ...numbered("other", 5, 0)]);
      const tail = follow(log, "readings", { partition: 1, from: 3 });
      await until("what was there", () => tail.records.length === 2);
      await log.append("readings", numbered("b", 2, 1));
      await until("what came", () => tail.records.length === 4);
      expect(texts(tail.records)).toEqual(["a3", "a4", "b0", "b1"]);
      await tail.end();
    });

    it("misses nothing that is appended right after the call when it starts at the end", async () => {
      const { log } = await open();
      await log.append("events", numbered("old", 3));
      for (let i = 0; i < 10; i++) {
        const tail = follow(log, "events", { from: "end" });
        await log.append("events", numbered(`${i}.`, 2));
        await until("both records", () => tail.records.length >= 2);
        expect(texts(tail.records)).toEqual([`${i}.0`, `${i}.1`]);
        await tail.end();
      }
    });

    it("ends when its signal aborts, before it began, at the end, and between batches", async () => {
      const { log } = await open();
      const before = new AbortController();
      before.abort();
      for await (const _ of log.tail("events", { from: 0, signal: before.signal })) expect.unreachable();

      const waiting = follow(log, "events", { from: 0 });
      await log.append("events", numbered("a", 1));
      await until("the record", () => waiting.records.length === 1);
      await waiting.end();

      const between = new AbortController();
      await log.append("events", numbered("b", 3_000));
      let batches = 0;
      for await (const _ of log.tail("events", { from: 0, signal: between.signal })) {
        batches++;
        between.abort();
      }
      expect(batches).toBe(1);
    });

    it("lets many tails of one partition go on at their own pace", async () => {
      const { log } = await open();
      const tails = Array.from({ length: 10 }, () => follow(log, "events", { from: 0 }));
      await log.append("events", numbered("a", 100));
      for (const tail of tails) {
        await until("all records", () => tail.records.length === 100);
        await tail.end();
      }
    });

    it("starts at the oldest record kept when it is asked for less", async () => {
      const { log } = await open();
      await log.append("events", numbered("a", 10));
      await log.trim("events", 0, 8);
      expect(texts(await take(log, "events", 2, { from: 1 }))).toEqual(["a8", "a9"]);
    });

    it("refuses a partition that is not there", async () => {
      const { log } = await open({ partitions: { readings: 2 } });
      const missing = async () => await take(log, "readings", 1, { partition: 2 });
      await expect(missing()).rejects.toThrow(RangeError);
    });

    it("reads topic live as any other while it lasts", async () => {
      const { log } = await open();
      const tail = follow(log, "live", { from: "end" });
      const places = await log.append("live", [
        { headers: { kind: "probe-answer" }, value: new Uint8Array([1, 2, 3]) },
        ...numbered("v", 2),
      ]);
      await until("all three", () => tail.records.length === 3);
      expect(tail.records.map(({ offset }) => offset)).toEqual(places.map(({ offset }) => offset));
      expect(tail.records[0]?.headers).toEqual({ kind: "probe-answer" });
      expect([...(tail.records[0]?.value ?? [])]).toEqual([1, 2, 3]);
      await tail.end();
    });

    it("ends when the log is closed", async () => {
      const { log } = await open();
      const tail = follow(log, "events", { from: 0 });
      await log.append("events", numbered("a", 1));
      await until("the record", () => tail.records.length === 1);
      await log.close();
      await tail.ended;
    });
  });
};
