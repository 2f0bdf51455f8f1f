import type { NewRecord } from "../../ports/event-log.ts";

/**
 * How a record is stored. LMDB's wrapper keeps eight bytes beside each value, a double that it calls the version: it
 * holds `appendedAt * 2 + (1 if the value starts with an envelope)`. A record with neither key nor headers, as every
 * block of readings is, needs no envelope: its bytes go to LMDB as they came.
 * Envelope: `key length u16 (0xffff: no key), key, header count u16, (name length u16, name, value length u32, value)*`.
 */
const NO_KEY = 0xffff;
const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

export interface StoredRecord {
  readonly version: number;
  readonly bytes: Uint8Array;
}
export interface OpenedRecord {
  readonly appendedAt: number;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Uint8Array;
}

export const appendedAtOf = (version: number): number => Math.floor(version / 2);

const u16 = (value: number, what: string): Buffer => {
  if (value >= NO_KEY) throw new RangeError(`${what} of a log record is longer than ${NO_KEY - 1}`);
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeUInt16BE(value);
  return bytes;
};
const u32 = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const keyParts = (key: string | undefined): Buffer[] => {
  if (key === undefined) return [Buffer.from([0xff, 0xff])];
  const bytes = Buffer.from(key);
  return [u16(bytes.length, "the key"), bytes];
};

const headerParts = ([name, value]: readonly [string, string]): Buffer[] => {
  const nameBytes = Buffer.from(name);
  const valueBytes = Buffer.from(value);
  return [u16(nameBytes.length, "a header's name"), nameBytes, u32(valueBytes.length), valueBytes];
};

/** The bytes of key and headers, or null where there are none. Throws RangeError if they are too long. */
export const encodeEnvelope = (record: NewRecord): Buffer | null => {
  const headers = Object.entries(record.headers ?? {});
  if (record.key === undefined && headers.length === 0) return null;
  return Buffer.concat([
    ...keyParts(record.key),
    u16(headers.length, "the list of headers"),
    ...headers.flatMap(headerParts),
  ]);
};

export const sealRecord = (
  appendedAt: number,
  envelope: Uint8Array | null,
  value: Uint8Array,
): StoredRecord =>
  envelope === null
    ? { version: appendedAt * 2, bytes: value }
    : { version: appendedAt * 2 + 1, bytes: Buffer.concat([envelope, value]) };

class EnvelopeReader {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  number(width: 2 | 4): number {
    this.#at += width;
    return this.#buffer.readUIntBE(this.#at - width, width);
  }
  text(length: number): string {
    this.#at += length;
    return this.#buffer.toString("utf8", this.#at - length, this.#at);
  }
  rest(): Uint8Array {
    return this.#buffer.subarray(this.#at);
  }
}

const readHeaders = (reader: EnvelopeReader): Readonly<Record<string, string>> => {
  const count = reader.number(2);
  if (count === 0) return NO_HEADERS;
  const headers: [string, string][] = [];
  for (let i = 0; i < count; i++) {
    const name = reader.text(reader.number(2));
    headers.push([name, reader.text(reader.number(4))]);
  }
  return Object.fromEntries(headers);
};

/** `bytes` belong to the record from now on: its value is a view of them. */
export const openRecord = (version: number, bytes: Uint8Array): OpenedRecord => {
  const appendedAt = appendedAtOf(version);
  if (version % 2 === 0) return { appendedAt, key: null, headers: NO_HEADERS, value: bytes };
  const reader = new EnvelopeReader(bytes);
  const keyLength = reader.number(2);
  const key = keyLength === NO_KEY ? null : reader.text(keyLength);
  return { appendedAt, key, headers: readHeaders(reader), value: reader.rest() };
};
