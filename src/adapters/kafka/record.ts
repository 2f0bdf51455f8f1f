import type { IHeaders, KafkaMessage, Message } from "kafkajs";
import type { LogRecord } from "../../domain/log-record.ts";
import type { NewRecord, Topic } from "../../ports/event-log.ts";

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});
const NO_BYTES = new Uint8Array();
/** What Kafka's format adds to a record, and a share of what it adds to a batch. */
const RECORD_OVERHEAD_BYTES = 24;

/** About what a record takes on the brokers' disks, once. */
export const sizeOf = ({ key, headers, value }: NewRecord | LogRecord): number => {
  let bytes = value.length + RECORD_OVERHEAD_BYTES + (key?.length ?? 0);
  for (const name in headers) bytes += name.length + (headers[name]?.length ?? 0) + 2;
  return bytes;
};

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Compaction takes a record without a value for the end of its key. */
const bodyOf = (topic: Topic, value: Uint8Array): Buffer | null =>
  topic === "sources" && value.length === 0 ? null : bufferOf(value);

export const toMessage = (topic: Topic, partition: number, record: NewRecord): Message => ({
  partition,
  key: record.key ?? null,
  value: bodyOf(topic, record.value),
  ...(record.headers === undefined ? {} : { headers: record.headers }),
});

/**
 * The last value of a header that came more than once, as Kafka's own clients take it. kafkajs gathers them in an array,
 * together with whatever an object of JavaScript has by the header's name, such as `toString`.
 */
const lastValue = (value: IHeaders[string]): string => {
  const last = Array.isArray(value) ? value.at(-1) : value;
  return last === undefined || last === null ? "" : String(last);
};

const headersOf = (headers: IHeaders | undefined): Readonly<Record<string, string>> => {
  const entries = Object.entries(headers ?? {});
  if (entries.length === 0) return NO_HEADERS;
  return Object.fromEntries(entries.map(([name, value]) => [name, lastValue(value)]));
};

export const toRecord = (partition: number, message: KafkaMessage): LogRecord => ({
  partition,
  offset: Number(message.offset),
  appendedAt: Number(message.timestamp),
  key: message.key === null ? null : message.key.toString(),
  headers: headersOf(message.headers),
  value: message.value ?? NO_BYTES,
});
