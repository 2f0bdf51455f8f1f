import { describe, expect, it } from "vitest";
import { Feed } from "../../../src/adapters/kafka/feed.ts";
import type { LogRecord } from "../../../src/domain/log-record.ts";

const record = (offset: number, bytes = 100): LogRecord => ({
  partition: 0,
  offset,
  appendedAt: 0,
  key: null,
  headers: {},
  value: new Uint8Array(bytes),
});
const records = (from: number, count: number, bytes?: number) =>
  Array.from({ length: count }, (_, i) => record(from + i, bytes));
const never = new AbortController().signal;
const LIMITS = { bytes: 1_000, records: 10 };

describe("a feed", () => {
  it("is full at its limit, and says once that there is room again when a quarter is free", async () => {
    let told = 0;
    const feed = new Feed(0, 1_000, () => told++);
    feed.push(records(0, 9));
    expect(feed.full).toBe(false);
    feed.push(records(9, 1));
    expect(feed.full).toBe(true);
    await feed.take({ bytes: 200, records: 10 }, never);
    expect([feed.full, told]).toEqual([true, 0]);
    await feed.take({ bytes: 100, records: 10 }, never);
    expect([feed.full, told]).toEqual([false, 1]);
    await feed.take(LIMITS, never);
    expect(told).toBe(1);
  });

  it("takes no record twice, nor one from before it began", async () => {
    const feed = new Feed(5, 1_000, () => undefined);
    feed.push(records(0, 8));
    feed.push(records(6, 4));
    const batch = await feed.take(LIMITS, never);
    expect(batch.map(({ offset }) => offset)).toEqual([5, 6, 7, 8, 9]);
    expect([feed.position, feed.next]).toEqual([10, 10]);
  });

  it("gives nothing more once its signal has aborted", async () => {
    const ending = new AbortController();
    const feed = new Feed(0, 1_000, () => undefined);
    const waiting = feed.take(LIMITS, ending.signal);
    ending.abort();
    feed.push(records(0, 1));
    expect(await waiting).toEqual([]);
  });

  it("does not keep the whole answer of a broker in memory for a small part of it", async () => {
    const answer = new Uint8Array(1_000_000);
    const feed = new Feed(0, 10_000_000, () => undefined);
    feed.push([{ ...record(0), value: answer.subarray(10, 20) }]);
    const [small] = await feed.take(LIMITS, never);
    expect(small?.value.buffer.byteLength).toBeLessThan(100);
    feed.push([{ ...record(1), value: answer.subarray(0, 900_000) }]);
    const [large] = await feed.take(LIMITS, never);
    expect(large?.value.buffer).toBe(answer.buffer);
  });

  it("copies nothing for a consumer that waits for it", async () => {
    const answer = new Uint8Array(1_000_000);
    const part = (offset: number) => ({ ...record(offset), value: answer.subarray(10, 20) });
    const feed = new Feed(0, 10_000_000, () => undefined);
    const waiting = feed.take(LIMITS, never);
    feed.push([part(0)]);
    feed.push([part(1)]);
    const [first, second] = await waiting;
    expect(first?.value.buffer).toBe(answer.buffer);
    expect(second?.value.buffer.byteLength).toBeLessThan(100);
  });
});
