import type { Topic } from "../../ports/event-log.ts";

/** A topic that is stored; `live` is kept in memory. */
export type StoredTopic = Exclude<Topic, "live">;

/** Part of the file format: never give a number another meaning. */
const TOPIC_CODES: Readonly<Record<StoredTopic, number>> = {
  readings: 1,
  events: 2,
  sources: 3,
  "dead-letters": 4,
};
const KEY_BYTES = 9;
const OFFSET_AT = 3;
export const PARTITIONS_MAX = 0xffff;

/** `topic u8, partition u16, offset u48`, big-endian, so that the order of bytes is the order of the log. */
export const recordKey = (topic: StoredTopic, partition: number, offset: number): Buffer => {
  const key = Buffer.allocUnsafe(KEY_BYTES);
  key.writeUInt8(TOPIC_CODES[topic], 0);
  key.writeUInt16BE(partition, 1);
  key.writeUIntBE(offset, OFFSET_AT, 6);
  return key;
};

const BYTE = 256;
/** The offset in a record's key, read without a Buffer being made of it. */
export const offsetOf = (key: Uint8Array): number => {
  let offset = 0;
  for (let i = OFFSET_AT; i < KEY_BYTES; i++) offset = offset * BYTE + (key[i] ?? 0);
  return offset;
};

/** The first key after every record of a partition. */
export const partitionEndKey = (topic: StoredTopic, partition: number): Buffer =>
  recordKey(topic, partition, 2 ** 48 - 1);
