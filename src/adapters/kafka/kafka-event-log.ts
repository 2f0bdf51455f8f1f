import { ENGINE } from "../../domain/backoff.ts";
import type { LogRecord } from "../../domain/log-record.ts";
import { partitionOf } from "../../domain/partition.ts";
import { retrying } from "../../domain/retry.ts";
import {
  type Appended,
  type ConsumeOptions,
  type EventLog,
  type GroupMember,
  LogFullError,
  LogUnavailableError,
  type NewRecord,
  type PartitionBounds,
  type TailOptions,
  type Topic,
} from "../../ports/event-log.ts";
import type { Health } from "../../ports/worker.ts";
import { Capacity } from "../event-log/capacity.ts";
import { AppendCall } from "./append-call.ts";
import { Appender } from "./appender.ts";
import type { Inquiry } from "./inquiry.ts";
import { KafkaMember } from "./member.ts";
import type { LogParts } from "./parts.ts";
import { tailOf } from "./tail.ts";
import { Watch } from "./watch.ts";

const DURABLE = {
  part: "append",
  durable: true,
  patienceMs: 15_000,
  pendingBytesMax: 256 * 2 ** 20,
} as const;
const LIVE = { part: "live", durable: false, patienceMs: 2_000, pendingBytesMax: 16 * 2 ** 20 } as const;

/** See open.ts. */
export class KafkaEventLog implements EventLog {
  readonly logId: string;
  readonly #parts: LogParts;
  readonly #inquiry: Inquiry;
  readonly #capacity: Capacity;
  readonly #durable: Appender;
  readonly #live: Appender;
  readonly #watch: Watch;
  readonly #members = new Map<string, GroupMember>();
  readonly #closing = new AbortController();
  #closed: Promise<void> | null = null;

  constructor(logId: string, parts: LogParts, inquiry: Inquiry, maxBytes: number) {
    this.logId = logId;
    this.#parts = parts;
    this.#inquiry = inquiry;
    this.#capacity = new Capacity(maxBytes, parts.telemetry.log);
    this.#durable = new Appender(DURABLE, parts);
    this.#live = new Appender(LIVE, parts);
    this.#watch = new Watch(parts, this.#capacity);
  }

  /** What must work before the log is used; rejects with what kafkajs says. */
  async start(): Promise<void> {
    await Promise.all([this.#durable.connect(), this.#live.connect(), this.#watch.measure()]);
  }

  partitions(topic: Topic): number {
    return this.#parts.names.count(topic);
  }

  async append(
    topic: Topic,
    records: readonly NewRecord[],
    options: { bounded?: boolean } = {},
  ): Promise<Appended[]> {
    this.#refuseWhenClosed();
    if (records.length === 0) return [];
    const call = new AppendCall(topic, records, (record) => this.#partitionFor(topic, record));
    this.#admit(topic, options.bounded ?? false);
    const appending = topic === "live" ? this.#live.append(call) : this.#appendDurable(call);
    this.#showPending();
    return await appending.finally(() => this.#showPending());
  }

  async consume(options: ConsumeOptions): Promise<GroupMember> {
    this.#refuseWhenClosed();
    const { group, topic } = options;
    const name = JSON.stringify([group, topic]);
    if (this.#members.has(name))
      throw new Error(
        `group ${group} already reads topic ${topic} in this process: a log object has one member a group and topic`,
      );
    const member = new KafkaMember(this.#parts, options, () => this.#members.delete(name));
    this.#members.set(name, member);
    return member;
  }

  tail(topic: Topic, options: TailOptions): AsyncIterable<readonly LogRecord[]> {
    this.#refuseWhenClosed();
    const partition = options.partition ?? 0;
    this.#parts.names.check(topic, partition);
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    const from =
      options.from === "end"
        ? this.#endNow(topic, partition, signal)
        : Promise.resolve(Math.max(0, options.from));
    return tailOf(this.#parts, { topic, name: this.#parts.names.of(topic), partition }, from, signal);
  }

  async bounds(topic: Topic): Promise<PartitionBounds[]> {
    this.#refuseWhenClosed();
    return await this.#parts.offsets.bounds(topic);
  }

  async committed(group: string, topic: Topic): Promise<ReadonlyMap<number, number>> {
    this.#refuseWhenClosed();
    return await this.#parts.offsets.committed(group, topic);
  }

  async trim(topic: Topic, partition: number, before: number): Promise<void> {
    this.#refuseWhenClosed();
    this.#parts.names.check(topic, partition);
    await this.#parts.offsets.trim(topic, partition, before);
    await this.#watch.measure();
  }

  hasRoom(): boolean {
    return this.#capacity.hasRoom();
  }

  async whenRoom(signal: AbortSignal): Promise<void> {
    await this.#capacity.whenRoom(AbortSignal.any([signal, this.#closing.signal]));
    signal.throwIfAborted();
    this.#refuseWhenClosed();
  }

  health(): Health {
    return this.#parts.condition.health(this.#capacity);
  }

  /** Ends tails, stops members, waits a few seconds until everything appended is acknowledged. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#parts.condition.closed();
    this.#closing.abort(new LogUnavailableError("The event log is closed."));
    await Promise.all([...this.#members.values()].map((member) => member.stop()));
    await Promise.all([this.#durable.close(), this.#live.close(), this.#watch.stop()]);
    await Promise.all([this.#parts.readers.close(), this.#inquiry.close()]);
  }

  async #appendDurable(call: AppendCall): Promise<Appended[]> {
    const { clock, metrics, ends, estimate } = this.#parts;
    const { topic, bytes, records } = call;
    const startedAt = clock.monotonic();
    const places = await this.#durable.append(call);
    metrics.appends.add(1, { topic });
    metrics.appendSeconds.observe((clock.monotonic() - startedAt) / 1_000);
    estimate.seen(topic, bytes, records.length);
    this.#capacity.added(bytes);
    for (const { partition, offset } of places) ends.raise(topic, partition, offset + 1);
    return places;
  }

  #showPending(): void {
    this.#parts.metrics.pendingBytes.set(this.#durable.pendingBytes + this.#live.pendingBytes);
  }

  #admit(topic: Topic, bounded: boolean): void {
    const { condition, metrics } = this.#parts;
    if (topic === "readings" && condition.refusal !== null) throw condition.refusal;
    if (!bounded || this.#capacity.accepts(this.#durable.pendingBytes)) return;
    metrics.full.add(1);
    throw new LogFullError("The event log is at its limit (LOG_MAX_BYTES): wait for room.");
  }

  /** Where a record belongs, by its own word or by its key. Throws RangeError where it cannot be stored. */
  #partitionFor(topic: Topic, { partition, key }: NewRecord): number {
    if (topic === "sources" && key === undefined)
      throw new RangeError(`topic ${topic} is compacted by key: a record needs one`);
    if (partition === undefined) return key === undefined ? 0 : partitionOf(key, this.partitions(topic));
    this.#parts.names.check(topic, partition);
    return partition;
  }

  /** The end as it is now: what this process appends from here on goes out only when it is known. */
  #endNow(topic: Topic, partition: number, signal: AbortSignal): Promise<number> {
    const { clock, entropy, offsets } = this.#parts;
    const end = retrying(() => offsets.end(topic, partition), {
      policy: ENGINE,
      retriable: (error) => error instanceof LogUnavailableError,
      sleep: clock.sleep,
      random: () => entropy.random(),
      signal,
    });
    // A tail that is ended before it began has nobody to tell.
    end.catch(() => undefined);
    return (topic === "live" ? this.#live : this.#durable).hold(end);
  }

  #refuseWhenClosed(): void {
    if (this.#closing.signal.aborted) throw new LogUnavailableError("The event log is closed.");
  }
}
