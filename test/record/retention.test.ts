import { expect, test } from "vitest";
import type { Topic } from "../../src/ports/event-log.ts";
import { ManualClock } from "../support/clock.ts";
import { sharedTimeSeries, TestRecord } from "../support/record.ts";
import { until } from "../support/until.ts";

const timeSeries = sharedTimeSeries();

const commit = async ({ log }: TestRecord, group: string, topic: Topic, next: number): Promise<void> => {
  const committed = Promise.withResolvers<void>();
  const member = await log.consume({
    group,
    topic,
    assigned: async (assignment) => {
      await assignment.commit(next);
      committed.resolve();
      return { startAt: next, records: async () => {}, revoked: async () => {} };
    },
  });
  await committed.promise;
  await member.stop();
};

const seal = async ({ control, log }: TestRecord, generation: number, offset: number, logId = log.logId) => {
  const sealed = { partition: 0, generation, logId, offset, buckets: 0, checksum: "" };
  expect(await control.snapshots.seal(sealed, generation === 1 ? null : generation - 1)).toBe(true);
};

const earliest = async ({ log }: TestRecord, topic: Topic): Promise<number> =>
  (await log.bounds(topic))[0]?.earliest ?? -1;

/** A worker whose trimming is due whenever the clock is moved on. */
const trimming = async (record: TestRecord) => {
  const clock = new ManualClock();
  await record.start({
    clock,
    settings: { trim: true, trimEveryMs: 10_000, deadLettersKept: 3, readingsLingerMs: 0, eventsLingerMs: 0 },
  });
  return {
    trimmedTo: async (topic: Topic, offset: number) => {
      await until(`${topic} to be trimmed to ${offset}`, async () => {
        clock.advance(10_000);
        return (await earliest(record, topic)) >= offset;
      });
      clock.advance(10_000);
      expect(await earliest(record, topic)).toBe(offset);
    },
    /** Another topic that was due to be trimmed after it tells that the turn is over. */
    turn: async () => {
      const end = await record.append("dead-letters", ["a", "b", "c", "d"]);
      await until("dead letters to be trimmed", async () => {
        clock.advance(10_000);
        return (await earliest(record, "dead-letters")) === end - 3;
      });
    },
  };
};

test("readings are kept down to the lowest of record, evaluate and the last snapshot but one", async () => {
  const record = await TestRecord.open(timeSeries());
  await record.append("readings", Array<string>(10).fill(""), { kind: "tick" });
  const { trimmedTo, turn } = await trimming(record);
  await record.untilDone(10);
  await turn();
  expect(await earliest(record, "readings")).toBe(0);
  await commit(record, "evaluate", "readings", 8);
  await seal(record, 1, 6);
  await turn();
  // One snapshot could be lost: without another before it the fold begins at 0.
  expect(await earliest(record, "readings")).toBe(0);
  await seal(record, 2, 8);
  await trimmedTo("readings", 6);
  await seal(record, 3, 10);
  await trimmedTo("readings", 8);
  await seal(record, 4, 10);
  await turn();
  expect(await earliest(record, "readings")).toBe(8);
});

test("a full log is trimmed at once, as readings wait for it", async () => {
  const record = await TestRecord.open(timeSeries(), { maxBytes: 500_000 });
  const clock = new ManualClock();
  await record.start({ clock, settings: { trim: true, trimEveryMs: 1e12, readingsLingerMs: 0 } });
  const block = { value: new Uint8Array(50_000).fill(10) };
  await until("the log to be full", () =>
    record.log.append("readings", [block], { bounded: true }).then(
      () => false,
      () => true,
    ),
  );
  const [bounds] = await record.log.bounds("readings");
  const end = bounds?.end ?? 0;
  await record.untilDone(end);
  await commit(record, "evaluate", "readings", end);
  await seal(record, 1, end);
  await seal(record, 2, end);
  const room = record.log.whenRoom(AbortSignal.timeout(10_000));
  const passing = setInterval(() => clock.advance(500), 5);
  await room.finally(() => clearInterval(passing));
});

test("a snapshot of another log holds everything", async () => {
  const record = await TestRecord.open(timeSeries());
  await record.append("readings", Array<string>(10).fill(""), { kind: "tick" });
  await commit(record, "evaluate", "readings", 10);
  await seal(record, 1, 6, "another log");
  await seal(record, 2, 8);
  const { turn } = await trimming(record);
  await record.untilDone(10);
  await turn();
  expect(await earliest(record, "readings")).toBe(0);
});

test("events are kept down to the lower of record and deliver, whichever is behind", async () => {
  const record = await TestRecord.open(timeSeries());
  await record.append("events", Array<string>(6).fill("{}"));
  const { trimmedTo, turn } = await trimming(record);
  await record.untilDone(6, "events");
  await turn();
  expect(await earliest(record, "events")).toBe(0);
  await commit(record, "deliver", "events", 4);
  await trimmedTo("events", 4);
});

test("nothing is trimmed where that is switched off", async () => {
  const record = await TestRecord.open(timeSeries());
  const clock = new ManualClock();
  await record.append("dead-letters", Array<string>(5).fill("x"));
  await record.start({ clock, settings: { trim: false, deadLettersKept: 1, readingsLingerMs: 0 } });
  clock.advance(60_000);
  await record.untilDone(await record.append("readings", [""], { kind: "tick" }));
  expect(await earliest(record, "dead-letters")).toBe(0);
});
