/** Of a batch of records (kafka.apache.org/documentation/#recordbatch): where things stand in it, in bytes. */
const LENGTH_AT = 8;
const COUNTED_FROM = 12;
const MAGIC_AT = 16;
const ATTRIBUTES_AT = 21;
const LAST_OFFSET_DELTA_AT = 23;
const COUNT_AT = 57;
const RECORDS_AT = 61;

const MAGIC = 2;
const APPEND_TIME = 0x08;
const CONTROL = 0x20;
/** Of a record, unused by Kafka so far. */
const RECORD_ATTRIBUTES = 0x5a;

/** Zigzag, seven bits a byte, as the offsets within a batch are never negative. */
const varint = (value: number): number[] => {
  const bytes: number[] = [];
  let rest = value * 2;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return [...bytes, rest];
};

/** Whether a message as kafkajs read it stands for a batch that was replaced. */
export const isStandIn = (message: {
  readonly attributes: number;
  readonly isControlRecord: boolean;
}): boolean => message.isControlRecord && message.attributes === RECORD_ATTRIBUTES;

/** A batch in the answer of a broker, of which kafkajs shows a codec the records only. */
export class PackedBatch {
  readonly #bytes: Buffer;

  private constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** The batch that these records are a part of, by the memory before them; null where it is none. */
  static around(records: Buffer): PackedBatch | null {
    if (records.byteOffset < RECORDS_AT) return null;
    const start = records.byteOffset - RECORDS_AT;
    const bytes = Buffer.from(records.buffer, start, RECORDS_AT + records.length);
    const isBatch =
      bytes.readInt8(MAGIC_AT) === MAGIC && bytes.readInt32BE(LENGTH_AT) === bytes.length - COUNTED_FROM;
    return isBatch ? new PackedBatch(bytes) : null;
  }

  /** Where its records begin in the answer's memory, in bytes. */
  get recordsAt(): number {
    return this.#bytes.byteOffset + RECORDS_AT;
  }
  get firstOffset(): number {
    return Number(this.#bytes.readBigInt64BE(0));
  }
  get lastOffset(): number {
    return this.firstOffset + this.#bytes.readInt32BE(LAST_OFFSET_DELTA_AT);
  }
  /** How many records there are, as its writer says. */
  get count(): number {
    return this.#bytes.readInt32BE(COUNT_AT);
  }

  /** Puts one empty record with the last offset in place of all, see `isStandIn`; false where it has no room. */
  replace(): boolean {
    const bytes = this.#bytes;
    const attributes = bytes.readInt16BE(ATTRIBUTES_AT) & APPEND_TIME;
    const lastOffset = varint(bytes.readInt32BE(LAST_OFFSET_DELTA_AT));
    // No time of its own; neither key (-1) nor value (-1); no headers.
    const record = [RECORD_ATTRIBUTES, 0, ...lastOffset, 1, 1, 0];
    const records = [...varint(record.length), ...record];
    if (RECORDS_AT + records.length > bytes.length) return false;
    bytes.writeInt16BE(attributes | CONTROL, ATTRIBUTES_AT);
    bytes.writeInt32BE(1, COUNT_AT);
    bytes.set(records, RECORDS_AT);
    return true;
  }
}
