import type { Message } from "kafkajs";
import type { Appended, NewRecord, Topic } from "../../ports/event-log.ts";
import { sizeOf, toMessage } from "./record.ts";
import { Standing } from "./standing.ts";
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

/**
 * The records of one call of `append`. Throws RangeError for a record that cannot be stored, before any is. What stands
 * since a call that failed is left out of `records`.
 */
export class AppendCall {
  readonly topic: Topic;
  readonly bytes: number;
  readonly records: readonly Outgoing[];
  readonly done: Promise<Appended[]>;
  readonly #settle: PromiseWithResolvers<Appended[]> = Promise.withResolvers();
  readonly #given: readonly NewRecord[];
  readonly #standing: Standing;
  readonly #places: Appended[] = [];
  #missing: number;
  #settled = false;

  constructor(
    topic: Topic,
    given: readonly NewRecord[],
    partitionOf: (record: NewRecord) => number,
    standing = new Standing(),
  ) {
    this.topic = topic;
    this.done = this.#settle.promise;
    this.#given = given;
    this.#standing = standing;
    this.#missing = given.length;
    let total = 0;
    this.records = given.flatMap((record, index) => {
      const partition = partitionOf(record);
      const bytes = sizeOf(record);
      if (bytes > RECORD_BYTES_MAX)
        throw new RangeError(`a record of ${bytes} bytes is too large for the log`);
      total += bytes;
      const place = standing.take(topic, record);
      if (place !== null) {
        this.stands(index, place);
        return [];
      }
      return [{ call: this, index, partition, bytes, message: toMessage(topic, partition, record) }];
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

  /** What stands is not written again when the same records are given to another call. */
  fail(error: Error): void {
    this.#settled = true;
    this.#places.forEach((place, index) => {
      const record = this.#given[index];
      if (record !== undefined) this.#standing.keep(this.topic, record, place);
    });
    this.#settle.reject(error);
  }
}
