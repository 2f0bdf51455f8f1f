import type { Message } from "kafkajs";
import type { Appended, NewRecord, Topic } from "../../ports/event-log.ts";
import { sizeOf, toMessage } from "./record.ts";
import { BATCH_BYTES_MAX, BATCH_SPARE_BYTES } from "./topic-settings.ts";

const RECORD_BYTES_MAX = BATCH_BYTES_MAX - BATCH_SPARE_BYTES;

/** One record on its way, and the call that it belongs to. */
export interface Outgoing {
  readonly call: AppendCall;
  readonly index: number;
  readonly partition: number;
  readonly bytes: number;
  readonly message: Message;
}

/** The records of one call of `append`. Throws RangeError for a record that cannot be stored, before any is. */
export class AppendCall {
  readonly topic: Topic;
  readonly bytes: number;
  readonly records: readonly Outgoing[];
  readonly done: Promise<Appended[]>;
  readonly #settle: PromiseWithResolvers<Appended[]> = Promise.withResolvers();
  readonly #places: Appended[] = [];
  #missing: number;
  #settled = false;

  constructor(topic: Topic, records: readonly NewRecord[], partitionOf: (record: NewRecord) => number) {
    this.topic = topic;
    this.done = this.#settle.promise;
    this.#missing = records.length;
    let total = 0;
    this.records = records.map((record, index) => {
      const partition = partitionOf(record);
      const bytes = sizeOf(record);
      if (bytes > RECORD_BYTES_MAX)
        throw new RangeError(`a record of ${bytes} bytes is too large for the log`);
      total += bytes;
      return { call: this, index, partition, bytes, message: toMessage(topic, partition, record) };
    });
    this.bytes = total;
  }

  /** Whether all of it is durable, or it has failed. */
  get settled(): boolean {
    return this.#settled;
  }

  /** The record at `index` is durable. */
  stands(index: number, place: Appended): void {
    this.#places[index] = place;
    this.#missing--;
    if (this.#missing > 0) return;
    this.#settled = true;
    this.#settle.resolve(this.#places);
  }

  fail(error: Error): void {
    this.#settled = true;
    this.#settle.reject(error);
  }
}
