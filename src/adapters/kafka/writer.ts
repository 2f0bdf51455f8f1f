import { partitionOf } from "../../domain/partition.ts";
import { type Appended, LogFullError, type NewRecord, type Topic } from "../../ports/event-log.ts";
import type { Capacity } from "../event-log/capacity.ts";
import { AppendCall } from "./append-call.ts";
import { Appender, type AppenderSettings } from "./appender.ts";
import type { LogParts } from "./parts.ts";
import { Standing } from "./standing.ts";

const DURABLE: AppenderSettings = {
  part: "append",
  durable: true,
  answeredMaxMs: 10_000,
  patienceMs: 15_000,
  pendingBytesMax: 256 * 2 ** 20,
};
/** Newest values are of no use any more when others have come. */
const LIVE: AppenderSettings = {
  part: "live",
  durable: false,
  answeredMaxMs: 2_000,
  patienceMs: 2_000,
  pendingBytesMax: 16 * 2 ** 20,
};

/** Everything that is appended: what must last by one producer, newest values by another. */
export class LogWriter {
  readonly #parts: LogParts;
  readonly #capacity: Capacity;
  readonly #durable: Appender;
  readonly #live: Appender;
  readonly #standing = new Standing();

  constructor(parts: LogParts, capacity: Capacity) {
    this.#parts = parts;
    this.#capacity = capacity;
    this.#durable = new Appender(DURABLE, parts);
    this.#live = new Appender(LIVE, parts);
  }

  /** So that the first append does not wait for a connection. Rejects with what kafkajs says. */
  async connect(): Promise<void> {
    await Promise.all([this.#durable.connect(), this.#live.connect()]);
  }

  /** See `EventLog.append`. Throws RangeError, before anything is written, for a record that cannot be stored. */
  async append(topic: Topic, records: readonly NewRecord[], bounded: boolean): Promise<Appended[]> {
    this.#admit(topic, bounded);
    const place = (record: NewRecord) => this.#partitionFor(topic, record);
    const call = new AppendCall(topic, records, place, this.#standing);
    const appending = topic === "live" ? this.#live.append(call) : this.#appendDurable(call);
    this.#showPending();
    return await appending.finally(() => this.#showPending());
  }

  /** What is appended to the topic from now on goes out after `question` is answered. */
  hold<T>(topic: Topic, question: Promise<T>): Promise<T> {
    return (topic === "live" ? this.#live : this.#durable).hold(question);
  }

  async close(): Promise<void> {
    await Promise.all([this.#durable.close(), this.#live.close()]);
  }

  async #appendDurable(call: AppendCall): Promise<Appended[]> {
    const { clock, metrics, ends, estimate, continuity } = this.#parts;
    const { topic, bytes, records } = call;
    const startedAt = clock.monotonic();
    const known = new Map(records.map(({ partition }) => [partition, ends.get(topic, partition)]));
    const places = await this.#durable.append(call);
    for (const { partition, index } of records)
      continuity.placed(topic, partition, known.get(partition) ?? 0, places[index]?.offset ?? 0);
    metrics.appends.add(1, { topic });
    metrics.appendSeconds.observe((clock.monotonic() - startedAt) / 1_000);
    estimate.seen(topic, bytes, places.length);
    this.#capacity.added(bytes);
    for (const { partition, offset } of places) ends.raise(topic, partition, offset + 1);
    return places;
  }

  #admit(topic: Topic, bounded: boolean): void {
    const { condition, metrics } = this.#parts;
    condition.throwIfRefused(topic);
    if (!bounded || this.#capacity.accepts(this.#durable.pendingBytes)) return;
    metrics.full.add(1);
    throw new LogFullError("The event log is at its limit (LOG_MAX_BYTES): wait for room.");
  }

  /** Where a record belongs, by its own word or by its key. */
  #partitionFor(topic: Topic, { partition, key }: NewRecord): number {
    const { names } = this.#parts;
    if (topic === "sources" && key === undefined)
      throw new RangeError(`topic ${topic} is compacted by key: a record needs one`);
    if (partition === undefined) return key === undefined ? 0 : partitionOf(key, names.count(topic));
    names.check(topic, partition);
    return partition;
  }

  #showPending(): void {
    this.#parts.metrics.pendingBytes.set(this.#durable.pendingBytes + this.#live.pendingBytes);
  }
}
