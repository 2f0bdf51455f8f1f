import { partitionOf } from "../domain/partition.ts";
import { changeRecord, sourceRecord } from "../domain/records.ts";
import type { OutboxRow } from "../ports/control-store.ts";
import type { NewRecord, Topic } from "../ports/event-log.ts";

/** Kafka refuses batches of 1 MB; a rule of a thousand ids is 33 kB in each partition. */
const BATCH_BYTES = 512 * 1024;

/** Some rows of the outbox as the records that they become, in their order; `last` is the position of the last. */
export interface RelayBatch {
  readonly readings: readonly NewRecord[];
  readonly sources: readonly NewRecord[];
  readonly rows: number;
  readonly last: number;
}

type Entry = OutboxRow["entry"];
type Changes = Extract<Entry, { topic: "readings" }>["change"];

/** A change of a signal, or of an alert on it, belongs to the partition of its readings, any other to each. */
const partitionsFor = (change: Changes, partitions: number): number[] => {
  if (change.type === "signal") return [partitionOf(change.signal.id, partitions)];
  if (change.type === "signalDeleted" || change.type === "acknowledged")
    return [partitionOf(change.signalId, partitions)];
  return Array.from({ length: partitions }, (_, partition) => partition);
};

const recordsOf = (entry: Entry, partitions: number): NewRecord[] =>
  entry.topic === "sources"
    ? [sourceRecord(entry.sourceId, entry.revision)]
    : partitionsFor(entry.change, partitions).map((partition) => changeRecord(entry.change, partition));

/** As many of `rows` from the first on as fit into one append, at least one; null when there are none. */
export const relayBatch = (rows: readonly OutboxRow[], partitions: number): RelayBatch | null => {
  const topics: Record<Extract<Topic, Entry["topic"]>, NewRecord[]> = { readings: [], sources: [] };
  let [bytes, taken, last] = [0, 0, 0];
  for (const { position, entry } of rows) {
    const records = recordsOf(entry, partitions);
    bytes += records.reduce((sum, { value }) => sum + value.length, 0);
    if (taken > 0 && bytes > BATCH_BYTES) break;
    topics[entry.topic].push(...records);
    taken++;
    last = position;
  }
  return taken === 0 ? null : { ...topics, rows: taken, last };
};
