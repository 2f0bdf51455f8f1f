import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PartitionEvaluation } from "../../../src/domain/evaluation/evaluation.ts";
import { SnapshotRestore } from "../../../src/domain/evaluation/snapshot-restore.ts";
import type { LogRecord } from "../../../src/domain/log-record.ts";
import { readingLine } from "../../../src/domain/reading-line.ts";
import { changeRecord } from "../../../src/domain/records.ts";
import { newestOfBucket } from "../../../src/domain/snapshot.ts";
import { history, SIGNALS } from "../../support/histories.ts";
import {
  accountId,
  asRecord,
  CollectingSink,
  LOG_ID,
  START_MS,
  signalChange,
  signalId,
} from "../../support/partition.ts";

const OF = { logId: LOG_ID, partition: 0, partitions: 1 };
const fold = (evaluation: PartitionEvaluation, records: readonly LogRecord[]): CollectingSink => {
  const sink = new CollectingSink();
  for (const record of records) evaluation.apply(record, sink);
  return sink;
};

/** Every bucket of a snapshot taken at once. */
const pictured = (evaluation: PartitionEvaluation): Uint8Array[] =>
  [...evaluation.snapshot().slices(2)].flat();

/** Every bucket of a snapshot begun now, two records of `later` folded between one slice and the next. */
const picturedWhile = (
  evaluation: PartitionEvaluation,
  later: readonly LogRecord[],
  sliceRows: number,
): Uint8Array[] => {
  const buckets: Uint8Array[] = [];
  let next = 0;
  for (const slice of evaluation.snapshot().slices(sliceRows)) {
    buckets.push(...slice);
    fold(evaluation, later.slice(next, next + 2));
    next += 2;
  }
  return buckets;
};

const restored = (buckets: readonly Uint8Array[]): PartitionEvaluation => {
  const restore = new SnapshotRestore(OF);
  for (const bucket of buckets) restore.bucket(bucket);
  return new PartitionEvaluation(OF, restore.finish());
};

/** Signals are written in the order of their slots, which a restart may change: what counts is which lines there are. */
const lines = (buckets: readonly Uint8Array[]): string[] =>
  buckets
    .map((bucket) => new TextDecoder().decode(bucket))
    .join("")
    .split("\n")
    .map((line) => line.replace(/^(\["signal",("[^"]*",?|\d+,|null,){4})\d+/, "$1"))
    .sort();

describe("the fold of a partition", () => {
  test("replayed gives the same events, ids and dead letters, and sequences without gaps", () => {
    fc.assert(
      fc.property(history, (records) => {
        const { events, deadLetters } = fold(new PartitionEvaluation(OF), records);
        const again = fold(new PartitionEvaluation(OF), records);
        expect(again.events).toEqual(events);
        expect(again.deadLetters).toEqual(deadLetters);
        expect(new Set(events.map(({ event }) => event.id)).size).toBe(events.length);
        const sequences = Map.groupBy(events, ({ signalId: id }) => id);
        for (const own of sequences.values()) {
          expect(own.map(({ event }) => event.sequence)).toEqual(own.map((_, i) => i + 1));
        }
      }),
    );
  });

  test("goes on from a snapshot taken anywhere, folded silently for a while, as if it had never stopped", () => {
    const place = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(history, place, place, fc.integer({ min: 1, max: 4 }), (records, a, b, sliceRows) => {
        const [cut = 0, loud = 0] = [a, b].map((x) => Math.floor(x * records.length)).sort((x, y) => x - y);
        const whole = new PartitionEvaluation(OF);
        fold(whole, records.slice(0, loud));
        const expected = fold(whole, records.slice(loud));

        const first = new PartitionEvaluation(OF);
        fold(first, records.slice(0, cut));
        const second = restored(picturedWhile(first, records.slice(cut), sliceRows));
        expect(second.nextOffset).toBe(cut === 0 ? 0 : cut);
        for (const record of records.slice(cut, loud)) second.apply(record, null);
        const told = fold(second, records.slice(loud));
        // Byte for byte: what a restart tells again must be what was told.
        expect(JSON.stringify(told.events)).toBe(JSON.stringify(expected.events));
        expect(told.deadLetters).toEqual(expected.deadLetters);
        expect(lines(pictured(second))).toEqual(lines(pictured(whole)));
      }),
    );
  });

  test("pictures the state of the moment, however much changes before its slices are taken", () => {
    const place = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(history, place, fc.integer({ min: 1, max: 4 }), (records, at, sliceRows) => {
        const cut = Math.floor(at * records.length);
        const still = new PartitionEvaluation(OF);
        fold(still, records.slice(0, cut));
        const moving = new PartitionEvaluation(OF);
        fold(moving, records.slice(0, cut));
        const buckets = picturedWhile(moving, records.slice(cut), sliceRows);
        expect(lines(buckets)).toEqual(lines(pictured(still)));
      }),
    );
  });

  test("remembers quiet readings the short way as it evaluates them the long way", () => {
    fc.assert(
      fc.property(history, (records) => {
        const short = new PartitionEvaluation(OF);
        const long = new PartitionEvaluation(OF);
        // While a snapshot is under way every reading goes the long way.
        long.snapshot();
        expect(fold(short, records).events).toEqual(fold(long, records).events);
        expect(lines(pictured(short))).toEqual(lines(pictured(long)));
        expect(short.takeLive(SIGNALS)).toEqual(long.takeLive(SIGNALS));
      }),
      { numRuns: 300 },
    );
  });

  test("ignores records that it has folded already", () => {
    fc.assert(
      fc.property(history, (records) => {
        const evaluation = new PartitionEvaluation(OF);
        fold(evaluation, records);
        expect(fold(evaluation, records).events).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });
});

describe("a snapshot", () => {
  const manySignals = (): PartitionEvaluation => {
    const evaluation = new PartitionEvaluation(OF);
    const changes = Array.from({ length: 5_000 }, (_, i) =>
      signalChange(i, { labels: { site: "north" }, name: "n".repeat(200), threshold: 0.5 }),
    );
    fold(
      evaluation,
      changes.map((change, offset) => asRecord(changeRecord(change, 0), offset, START_MS)),
    );
    const lines = changes.map((_, i) => readingLine(signalId(i), START_MS, i % 2 === 0 ? -60 : -90)).join("");
    evaluation.apply(asRecord({ value: new TextEncoder().encode(lines) }, 5_000, START_MS), null);
    return evaluation;
  };

  test("is cut into buckets of at most 512 KiB, each of which tells the newest values by itself", () => {
    const buckets = pictured(manySignals());
    expect(buckets.length).toBeGreaterThan(2);
    for (const bucket of buckets) expect(bucket.length).toBeLessThanOrEqual(512 * 1024);
    const newest = buckets.flatMap(newestOfBucket);
    expect(newest).toHaveLength(5_000);
    expect(newest[1]).toEqual({
      signalId: signalId(1),
      accountId: accountId(1),
      atMs: START_MS,
      strength: -90,
      status: "failed",
    });
    expect(newestOfBucket(buckets[1] ?? new Uint8Array()).length).toBeGreaterThan(0);
  });

  test("of another log, another version, or cut short is refused", () => {
    const [bucket = new Uint8Array()] = pictured(new PartitionEvaluation(OF));
    const refused = [
      () => new SnapshotRestore({ ...OF, logId: "01JDA2V3Q8R5T7W9Y1B3D5F7H8" }).bucket(bucket),
      () => new SnapshotRestore(OF).bucket(new TextEncoder().encode('["snapshot",0]\n')),
      () => new SnapshotRestore(OF).bucket(bucket.subarray(0, bucket.length - 5)),
      () => new SnapshotRestore(OF).finish(),
    ];
    for (const attempt of refused)
      expect.soft(attempt).toThrow(expect.objectContaining({ name: "SnapshotUnreadableError" }));
  });
});
