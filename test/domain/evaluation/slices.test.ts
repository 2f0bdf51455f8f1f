import { describe, expect, test } from "vitest";
import type { Change } from "../../../schemas/change.ts";
import { PartitionEvaluation } from "../../../src/domain/evaluation/evaluation.ts";
import { SnapshotRestore } from "../../../src/domain/evaluation/snapshot-restore.ts";
import { readingLine } from "../../../src/domain/reading-line.ts";
import { changeRecord, type OutgoingRecord, tickRecord } from "../../../src/domain/records.ts";
import {
  accountId,
  asRecord,
  CollectingSink,
  LOG_ID,
  ruleChange,
  ruleId,
  START_MS,
  signalChange,
  signalId,
  sourceId,
} from "../../support/partition.ts";

const OF = { logId: LOG_ID, partition: 0, partitions: 1 };
const SIGNALS = 1_500;
/** What 5 ms of work come to at most, and the one step that overruns it. */
const SLICE_EVENTS_MAX = 210;

const everySignal = Array.from({ length: SIGNALS }, (_, n) => n);
const block = (strength: number): OutgoingRecord => {
  const lines = everySignal.map((n) => readingLine(signalId(n), START_MS, strength));
  return { value: new TextEncoder().encode(lines.join("")) };
};
const changed = (...changes: Change[]) => changes.map((change) => changeRecord(change, 0));
const paused = (isPaused: boolean): Change => ({
  type: "sourceFlow",
  sourceId: sourceId(1),
  paused: isPaused,
});
const rule = ruleChange(1);
const signals = (overrides: Parameters<typeof signalChange>[1] = {}) =>
  changed(rule, ...everySignal.map((n) => signalChange(n, { sourceId: sourceId(1), ...overrides })));
const ticks = (seconds: number) => Array.from({ length: seconds }, () => tickRecord(0));

/** What comes first, a second apart from the first tick on, and one record that concerns every signal. */
const wide: [string, OutgoingRecord[], OutgoingRecord | undefined][] = [
  ["a block that fails them", signals(), block(-90)],
  [
    "a tick that finds them silent",
    [...signals({ noDataAfterSeconds: 5 }), block(-60), ...ticks(4)],
    tickRecord(0),
  ],
  [
    "a tick at which a rule has waited",
    [...changed(ruleChange(2, { forSeconds: 5 })), ...signals(), block(-90), ...ticks(4)],
    tickRecord(0),
  ],
  [
    "the deletion of a rule that fires on them",
    [...signals(), block(-90)],
    changed({ type: "ruleDeleted", accountId: accountId(1), ruleId: ruleId(1), revision: 2 })[0],
  ],
  [
    "a change of such a rule",
    [...signals(), block(-90)],
    changed(ruleChange(1, { condition: { operator: "below", value: -70 } }, 2))[0],
  ],
];

/** The state before the last record, and that record. */
const standing = (first: readonly OutgoingRecord[], last: OutgoingRecord | undefined) => {
  if (last === undefined) throw new Error("no record");
  const evaluation = new PartitionEvaluation(OF);
  let now = START_MS;
  const place = (outgoing: OutgoingRecord, offset: number) => {
    if (outgoing.headers?.kind === "tick") now += 1_000;
    return asRecord(outgoing, offset, now);
  };
  for (const [offset, outgoing] of first.entries()) evaluation.apply(place(outgoing, offset), null);
  evaluation.takeLive(SIGNALS);
  return { evaluation, record: place(last, first.length) };
};

const bucketsOf = (evaluation: PartitionEvaluation) => [...evaluation.snapshot().slices(250)].flat();

describe("one record that concerns every signal", () => {
  test.each(wide)(
    "%s, is applied in slices of a few events, which are the same as at once",
    (_, first, last) => {
      const atOnce = standing(first, last);
      const whole = new CollectingSink();
      atOnce.evaluation.apply(atOnce.record, whole);

      const { evaluation, record } = standing(first, last);
      const sink = new CollectingSink();
      const counts = [0];
      for (const _slice of evaluation.slices(record, sink)) counts.push(sink.events.length);
      counts.push(sink.events.length);
      expect(whole.events.length).toBeGreaterThanOrEqual(SIGNALS);
      const sizes = counts.slice(1).map((count, i) => count - (counts[i] ?? 0));
      expect(Math.max(...sizes)).toBeLessThanOrEqual(SLICE_EVENTS_MAX);
      expect(sink.events).toEqual(whole.events);
      expect(bucketsOf(evaluation)).toEqual(bucketsOf(atOnce.evaluation));
    },
  );

  test("such as one that lets a source of many parked signals run on, rests even though it tells nothing", () => {
    const many = Array.from({ length: 15 }, (_, i) =>
      changed(
        ...everySignal.map((n) =>
          signalChange(SIGNALS * i + n, { sourceId: sourceId(1), noDataAfterSeconds: 5 }),
        ),
      ),
    ).flat();
    const lines = many.map((_, n) => readingLine(signalId(n), START_MS, -60)).join("");
    const heard = { value: new TextEncoder().encode(lines) };
    const [stop, go] = changed(paused(true), paused(false));
    const { evaluation, record } = standing(
      [...many, heard, ...(stop === undefined ? [] : [stop]), ...ticks(20)],
      go,
    );
    expect([...evaluation.slices(record, null)].length).toBeGreaterThan(1);
  });

  test.each([
    ["of unknown signals", (n: number) => readingLine(signalId(90_000 + n), START_MS, -60)],
    ["that are none", (n: number) => `junk ${n}\n`],
  ])("such as a block of lines %s, rests", (_, line) => {
    const lines = Array.from({ length: 5_000 }, (_, n) => line(n)).join("");
    const { evaluation, record } = standing(signals(), { value: new TextEncoder().encode(lines) });
    const sink = new CollectingSink();
    expect([...evaluation.slices(record, sink)].length).toBeGreaterThan(1);
    expect(sink.deadLetters).toHaveLength(5_000);
  });

  test("is seen by nobody while it is half applied", () => {
    const { evaluation, record } = standing(signals(), block(-90));
    let seen = 0;
    for (const _ of evaluation.slices(record, null)) {
      seen++;
      expect(evaluation.takeLive(SIGNALS)).toEqual([]);
      expect(() => evaluation.snapshot()).toThrow("half applied");
      expect(() => evaluation.apply(asRecord(tickRecord(0), record.offset + 1, START_MS), null)).toThrow(
        "half applied",
      );
    }
    expect(seen).toBeGreaterThan(0);
    expect(evaluation.takeLive(SIGNALS)).toHaveLength(SIGNALS);
  });

  test("does not show in a snapshot that began before it, whose slices are taken between its own", () => {
    const still = standing(signals(), block(-90));
    const { evaluation, record } = standing(signals(), block(-90));
    const run = evaluation.snapshot();
    const pictures = run.slices(100);
    const buckets: Uint8Array[] = [];
    for (const _ of evaluation.slices(record, null)) buckets.push(...(pictures.next().value ?? []));
    for (const picture of pictures) buckets.push(...picture);
    const restore = new SnapshotRestore(OF);
    for (const bucket of buckets) restore.bucket(bucket);
    const restored = new PartitionEvaluation(OF, restore.finish());
    const [again, expected] = [new CollectingSink(), new CollectingSink()];
    restored.apply(record, again);
    still.evaluation.apply(still.record, expected);
    expect(again.events).toEqual(expected.events);
  });
});
