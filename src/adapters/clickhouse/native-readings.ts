import { type ReadingColumns, underSameIds } from "../../domain/reading-columns.ts";
import type { SignalIds } from "../../domain/signal-ids.ts";

/** Columns of the block below, and their types; `signal_id` is no LowCardinality in the table: the engine converts it. */
export const READING_COLUMNS = ["signal_id", "at", "strength"] as const;
const TYPES = ["LowCardinality(String)", "DateTime64(3, 'UTC')", "Float32"] as const;

/** Shared dictionaries with additional keys; of the flags beside the width of an index: the keys stand in the block. */
const DICTIONARY_VERSION = 1n;
const HAS_KEYS = 1n << 9n;
const TWO_TO_32 = 2 ** 32;
/** Fewer readings of a signal than this, and ordering the ids costs more here than it saves the engine. */
const READINGS_PER_SIGNAL = 4;

const encoder = new TextEncoder();

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];

const text = (value: string): number[] => [...varint(value.length), ...encoder.encode(value)];

const columnHead = (column: 0 | 1 | 2): number[] => [
  ...text(READING_COLUMNS[column]),
  ...text(TYPES[column]),
];

const wide = (...values: readonly bigint[]): Uint8Array => new Uint8Array(BigUint64Array.from(values).buffer);

const bytesOf = ({ buffer }: { readonly buffer: ArrayBuffer }): Uint8Array => new Uint8Array(buffer);

/** Indexes are as wide as the number of keys asks for; the flag says which. */
const indexesFor = (keys: number, rows: number) => {
  if (keys <= 2 ** 8) return { width: 0n, indexes: new Uint8Array(rows) };
  if (keys <= 2 ** 16) return { width: 1n, indexes: new Uint16Array(rows) };
  return { width: 2n, indexes: new Uint32Array(rows) };
};

/** How many readings each slot has. */
const countsOf = (ids: SignalIds, chunks: readonly ReadingColumns[]): Uint32Array => {
  const counts = new Uint32Array(ids.size);
  for (const { slots } of chunks) for (const slot of slots) counts[slot] = (counts[slot] ?? 0) + 1;
  return counts;
};

/** The slots that occur; in the order of their ids where that pays. */
const keysOf = (ids: SignalIds, counts: Uint32Array, rows: number): Uint32Array => {
  const occurring = counts.reduce((sum, count) => (count > 0 ? sum + 1 : sum), 0);
  const slots =
    rows >= occurring * READINGS_PER_SIGNAL
      ? ids.inOrder()
      : Uint32Array.from({ length: ids.size }, (_, slot) => slot);
  return slots.filter((slot) => (counts[slot] ?? 0) > 0);
};

/** Strings of a dictionary: each its length and its bytes. */
const keyBytes = (ids: SignalIds, keys: Uint32Array): Uint8Array => {
  const length = ids.bytesOf(0).length;
  const bytes = new Uint8Array(keys.length * (length + 1));
  for (const [i, slot] of keys.entries()) {
    bytes[i * (length + 1)] = length;
    bytes.set(ids.bytesOf(slot), i * (length + 1) + 1);
  }
  return bytes;
};

/** Times and strengths, those of one signal together in the order in which they came. */
const gathered = (chunks: readonly ReadingColumns[], starts: Uint32Array, rows: number) => {
  const times = new Uint32Array(rows * 2);
  const strengths = new Float32Array(rows);
  for (const chunk of chunks) {
    for (let i = 0; i < chunk.slots.length; i++) {
      const slot = chunk.slots[i] ?? 0;
      const row = starts[slot] ?? 0;
      starts[slot] = row + 1;
      const atMs = chunk.atMs[i] ?? 0;
      times[row * 2] = atMs % TWO_TO_32;
      times[row * 2 + 1] = Math.floor(atMs / TWO_TO_32);
      strengths[row] = chunk.strengths[i] ?? 0;
    }
  }
  return { times, strengths };
};

const encodeBlock = (ids: SignalIds, chunks: readonly ReadingColumns[], rows: number): Uint8Array[] => {
  const counts = countsOf(ids, chunks);
  const keys = keysOf(ids, counts, rows);
  const { width, indexes } = indexesFor(keys.length, rows);
  const starts = new Uint32Array(ids.size);
  let row = 0;
  for (const [i, slot] of keys.entries()) {
    starts[slot] = row;
    indexes.fill(i, row, row + (counts[slot] ?? 0));
    row += counts[slot] ?? 0;
  }
  const { times, strengths } = gathered(chunks, starts, rows);
  return [
    Uint8Array.from([...varint(READING_COLUMNS.length), ...varint(rows), ...columnHead(0)]),
    wide(DICTIONARY_VERSION, width | HAS_KEYS, BigInt(keys.length)),
    keyBytes(ids, keys),
    wide(BigInt(rows)),
    bytesOf(indexes),
    Uint8Array.from(columnHead(1)),
    bytesOf(times),
    Uint8Array.from(columnHead(2)),
    bytesOf(strengths),
  ];
};

/**
 * Readings in ClickHouse's Native format (https://clickhouse.com/docs/interfaces/formats/Native): columns as they lie in
 * the engine's memory, which it reads for a fifth of what the same lines cost; ids as a dictionary and indexes
 * (src/DataTypes/Serializations/SerializationLowCardinality.cpp); ordered as the table is, so that it need not be.
 * Numbers are little-endian, as every machine's that Node runs on.
 *
 * Always one block: an insert of several is another to the engine than one of the same rows in one block, whatever its
 * token, and who repeats an insert may have come to know signals in another order.
 */
export const encodeReadings = (chunks: readonly ReadingColumns[]): Uint8Array[] => {
  const together = underSameIds(chunks);
  const rows = together.reduce((sum, { slots }) => sum + slots.length, 0);
  const [first] = together;
  return first === undefined || rows === 0 ? [] : encodeBlock(first.ids, together, rows);
};
