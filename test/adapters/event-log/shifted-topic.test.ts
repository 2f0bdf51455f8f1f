import { describe, expect, it, onTestFinished } from "vitest";
import { withShiftedTopic } from "../../../src/adapters/event-log/shifted-topic.ts";
import { collect, numbered } from "../../conformance/event-log/reading.ts";
import { temporaryDirectory } from "../../support/directory.ts";
import { openTestLog } from "../../support/lmdb-log.ts";
import { until } from "../../support/until.ts";

const BY = 1_000;

const open = async () => {
  const log = await openTestLog({ directory: await temporaryDirectory() });
  onTestFinished(() => log.close());
  return { log, shifted: withShiftedTopic(log, "events", BY) };
};

const firstOffsets = async (log: Awaited<ReturnType<typeof open>>["shifted"], from: number) => {
  const stop = new AbortController();
  for await (const batch of log.tail("events", { from, signal: stop.signal })) {
    stop.abort();
    return batch.map(({ offset }) => offset);
  }
  return [];
};

describe("a topic whose offsets count from elsewhere", () => {
  it("counts so in everything it is asked and told, while others count from 0", async () => {
    const { log, shifted } = await open();
    const appended = await shifted.append("events", numbered("e", 5));
    expect(appended.map(({ offset }) => offset)).toEqual([1000, 1001, 1002, 1003, 1004]);
    expect((await shifted.append("readings", numbered("r", 1)))[0]?.offset).toBe(0);
    expect(await shifted.bounds("events")).toEqual([{ partition: 0, earliest: 1000, end: 1005 }]);
    expect(await log.bounds("events")).toEqual([{ partition: 0, earliest: 0, end: 5 }]);
    expect(await firstOffsets(shifted, 0)).toEqual([1000, 1001, 1002, 1003, 1004]);
    expect(await firstOffsets(shifted, 1003)).toEqual([1003, 1004]);
    await shifted.trim("events", 0, 1002);
    expect(await shifted.bounds("events")).toEqual([{ partition: 0, earliest: 1002, end: 1005 }]);
  });

  it("gives its records to a group by the same count, and takes its commits so", async () => {
    const { log, shifted } = await open();
    await shifted.append("events", numbered("e", 5));
    const first = await collect(shifted, { group: "g", topic: "events" });
    const assignment = await until("the assignment", () => first.assignments.get(0));
    expect(assignment).toMatchObject({ committed: null, earliest: 1000, end: 1005 });
    await until("the records", () => first.records.length === 5);
    await assignment.commit(1003);
    await first.member.stop();
    expect(await shifted.committed("g", "events")).toEqual(new Map([[0, 1003]]));
    expect(await log.committed("g", "events")).toEqual(new Map([[0, 3]]));
    const second = await collect(shifted, { group: "g", topic: "events" });
    await until("the rest", () => second.records.length === 2);
    expect(second.records.map(({ offset }) => offset)).toEqual([1003, 1004]);
    await second.member.stop();
  });
});
