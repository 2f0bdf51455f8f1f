import { describe, expect, test } from "vitest";
import type { Change } from "../../../schemas/change.ts";
import { PartitionEvaluation } from "../../../src/domain/evaluation/evaluation.ts";
import { PartitionState } from "../../../src/domain/evaluation/partition-state.ts";
import { SnapshotRestore } from "../../../src/domain/evaluation/snapshot-restore.ts";
import { readingLine } from "../../../src/domain/reading-line.ts";
import { changeRecord, type OutgoingRecord, tickRecord } from "../../../src/domain/records.ts";
import {
  accountId,
  asRecord,
  LOG_ID,
  START_MS,
  signalChange,
  signalId,
  sourceId,
  TestPartition,
} from "../../support/partition.ts";

const OF = { logId: LOG_ID, partition: 0, partitions: 1 };
const flow = (paused: boolean): Change => ({ type: "sourceFlow", sourceId: sourceId(1), paused });
const sourced = signalChange(1, { sourceId: sourceId(1), noDataAfterSeconds: 10 });
const gone: Change = {
  type: "signalDeleted",
  signalId: signalId(1),
  accountId: accountId(1),
  revision: 2,
};
const block = { value: new TextEncoder().encode(readingLine(signalId(1), START_MS, -60)) };

/** A state that the records given have moved, a second apart. */
const moved = (...steps: (Change | OutgoingRecord)[]): PartitionState => {
  const state = new PartitionState(OF);
  const evaluation = new PartitionEvaluation(OF, state);
  for (const [i, step] of steps.entries()) {
    const outgoing = "type" in step ? changeRecord(step, 0) : step;
    evaluation.apply(asRecord(outgoing, i, START_MS + i * 1_000), null);
  }
  return state;
};

/** Whether a reading that changes nothing is only remembered. */
const remembers = ({ signals }: PartitionState): boolean =>
  signals.rows.remember(0, START_MS + 60_000, -60, 0);

const restored = (state: PartitionState): PartitionState => {
  const restore = new SnapshotRestore(OF);
  for (const bucket of [...new PartitionEvaluation(OF, state).snapshot().slices(10)].flat())
    restore.bucket(bucket);
  return restore.finish();
};

describe("a source that was held back once, as each is at a clean stop", () => {
  test("costs its signals' readings nothing for good", () => {
    expect(remembers(moved(sourced, block))).toBe(true);
    expect(remembers(moved(sourced, flow(true), tickRecord(0), flow(false), block))).toBe(true);
  });

  test("nor while it is held back", () => {
    expect(remembers(moved(sourced, flow(true), block))).toBe(true);
  });

  test("leaves the silence of its signals counted from their last reading, remembered or not", () => {
    const partition = new TestPartition().change(sourced);
    partition.read({ signal: 1, strength: -60 }).ticks(2).change(flow(true)).ticks(30).change(flow(false));
    partition.read({ signal: 1, strength: -60 }).ticks(3);
    partition.read({ signal: 1, strength: -60 }).ticks(9);
    partition.change(flow(true)).ticks(30).change(flow(false));
    expect(partition.kinds()).toEqual(["signal.created"]);
    expect(partition.ticks(1).news()[0]?.data.reasons).toMatchObject([{ kind: "noData", value: 10 }]);
  });
});

describe("what is known of a source", () => {
  test("is kept as long as it has signals here or is held back, and no longer", () => {
    expect(moved(sourced).flows.size).toBe(1);
    expect(moved(sourced, flow(true), gone).flows.size).toBe(1);
    expect(moved(sourced, flow(true), gone, flow(false)).flows.size).toBe(0);
    expect(moved(sourced, flow(true), flow(false), gone).flows.size).toBe(0);
    expect(moved(flow(true), flow(false)).flows.size).toBe(0);
  });

  test("goes through a snapshot, but for what nobody needs", () => {
    const held = restored(moved(sourced, block, flow(true), tickRecord(0), flow(false))).flows.get(
      sourceId(1),
    );
    expect(held).toMatchObject({ pausedAtMs: null, standstillMs: 2_000, signals: 1 });
    const paused = restored(moved(tickRecord(0), flow(true))).flows.get(sourceId(1));
    expect(paused).toMatchObject({ pausedAtMs: 1_000, signals: 0 });
    expect(restored(moved(sourced, flow(true), flow(false), gone)).flows.size).toBe(0);
  });
});

test("a snapshot's idle sources of old, which once were kept for ever, are not taken over", () => {
  const restore = new SnapshotRestore(OF);
  const [bucket = new Uint8Array()] = [...new PartitionEvaluation(OF).snapshot().slices(10)].flat();
  const idle = JSON.stringify(["flow", { sourceId: sourceId(1), pausedAtMs: null, standstillMs: 700 }]);
  restore.bucket(new TextEncoder().encode(`${new TextDecoder().decode(bucket)}${idle}\n`));
  expect(restore.finish().flows.size).toBe(0);
});
