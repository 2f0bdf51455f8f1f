import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CarriedState } from "../../../src/domain/evaluation/carried-state.ts";
import { PartitionEvaluation } from "../../../src/domain/evaluation/evaluation.ts";
import type { PartitionState } from "../../../src/domain/evaluation/partition-state.ts";
import { SnapshotRestore } from "../../../src/domain/evaluation/snapshot-restore.ts";
import { isBlock, type LogRecord } from "../../../src/domain/log-record.ts";
import { partitionOf } from "../../../src/domain/partition.ts";
import { readChange } from "../../../src/domain/records.ts";
import { history } from "../../support/histories.ts";
import { CollectingSink, definition, LOG_ID, signalId } from "../../support/partition.ts";

const NEXT_LOG = "01JDA2V3Q8R5T7W9Y1B3D5F7HA";
const text = new TextDecoder();
const bytes = new TextEncoder();

/** What of a record concerns one partition of several; the passing of time concerns each. */
const partOf = (record: LogRecord, partition: number, partitions: number): LogRecord => {
  const tick = { ...record, partition, headers: { kind: "tick" }, value: new Uint8Array() };
  if (isBlock(record)) {
    const lines = text.decode(record.value).split(/(?<=\n)/);
    const own = lines.filter((line) => partitionOf(line.slice(0, 30), partitions) === partition);
    return own.length === 0 ? tick : { ...record, partition, value: bytes.encode(own.join("")) };
  }
  if (record.headers.kind !== "change") return { ...record, partition };
  const change = readChange(record);
  const id = change.type === "signal" ? change.signal.id : "signalId" in change ? change.signalId : null;
  return id === null || partitionOf(id, partitions) === partition ? { ...record, partition } : tick;
};

/** A history of one log as each partition of another one has it. */
const spread = (records: readonly LogRecord[], partitions: number): LogRecord[][] =>
  Array.from({ length: partitions }, (_, partition) =>
    records.map((record, offset) => ({ ...partOf(record, partition, partitions), offset })),
  );

const evaluations = (logId: string, partitions: number, states?: readonly PartitionState[]) =>
  Array.from(
    { length: partitions },
    (_, partition) => new PartitionEvaluation({ logId, partition, partitions }, states?.[partition]),
  );

/** Folds each partition's records, and gives the events of each signal, ids left out: they are a log's own. */
const told = (partitions: readonly PartitionEvaluation[], records: readonly (readonly LogRecord[])[]) => {
  const sink = new CollectingSink();
  for (const [partition, evaluation] of partitions.entries())
    for (const record of records[partition] ?? []) evaluation.apply(record, sink);
  const plain = sink.events.map(({ signalId: id, event }) => ({
    id,
    sequence: event.sequence,
    kind: event.event,
    data: JSON.stringify(event.data).replaceAll(/(alr|evt)_[0-9A-Z]{26}/g, "$1"),
  }));
  return Object.fromEntries(
    [...Map.groupBy(plain, ({ id }) => id)].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
};

/** The state as a restart would find it. */
const stored = (evaluation: PartitionEvaluation, of: PartitionState["of"]): PartitionState => {
  const restore = new SnapshotRestore(of);
  for (const bucket of [...evaluation.snapshot().slices(3)].flat()) restore.bucket(bucket);
  return restore.finish();
};

const isFlow = (record: LogRecord): boolean =>
  record.headers.kind === "change" && readChange(record).type === "sourceFlow";

describe("a state carried to another log", () => {
  const counts = fc.constantFrom(1, 2, 3);
  const place = fc.double({ min: 0, max: 1, noNaN: true });

  test("goes on as if nothing had happened, over fewer, more or as many partitions", () => {
    fc.assert(
      fc.property(history, place, counts, counts, (all, at, from, to) => {
        const records = all.filter((record) => !isFlow(record));
        const cut = Math.floor(at * records.length);
        const undisturbed = evaluations(LOG_ID, 1);
        told(undisturbed, [records.slice(0, cut)]);
        const expected = told(undisturbed, [records.slice(cut)]);

        const before = evaluations(LOG_ID, from);
        told(before, spread(records.slice(0, cut), from));
        const states = before.map((evaluation, partition) =>
          stored(evaluation, { logId: LOG_ID, partition, partitions: from }),
        );
        const carried = new CarriedState({ logId: NEXT_LOG, partitions: to }, states, [], () => 0);
        const after = carried.states.map((state, partition) => {
          const of = { logId: NEXT_LOG, partition, partitions: to };
          return new PartitionEvaluation(of, stored(new PartitionEvaluation(of, state), of));
        });
        expect(told(after, spread(records.slice(cut), to))).toEqual(expected);
      }),
    );
  });

  test("goes on counting from what was stored after it", () => {
    fc.assert(
      fc.property(history, (records) => {
        const evaluation = new PartitionEvaluation({ logId: LOG_ID, partition: 0, partitions: 1 });
        told([evaluation], [records]);
        const of = { logId: LOG_ID, partition: 0, partitions: 1 };
        const next = { logId: NEXT_LOG, partitions: 2 };
        const carried = new CarriedState(next, [stored(evaluation, of)], [], () => 1_000_000);
        for (const { signals } of carried.states)
          for (const { sequence } of signals.all()) expect(sequence).toBe(1_000_000);
      }),
    );
  });

  test("takes in a signal that no state knew, at the sequence that its events have come to", () => {
    const carried = new CarriedState({ logId: NEXT_LOG, partitions: 3 }, [], [], () => 7);
    expect(carried.get(signalId(1))).toBeNull();
    carried.admit(definition(1));
    expect(carried.get(signalId(1))).toEqual(definition(1));
    expect([...carried.signals()].map(({ id }) => id)).toEqual([signalId(1)]);
    const [signal] = carried.states.flatMap(({ signals }) => [...signals.all()]);
    expect(signal).toMatchObject({ sequence: 7 });
  });
});
