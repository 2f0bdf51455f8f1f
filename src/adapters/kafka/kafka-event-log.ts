import { ENGINE } from "../../domain/backoff.ts";
import type { LogRecord } from "../../domain/log-record.ts";
import { retrying } from "../../domain/retry.ts";
import {
  type Appended,
  type ConsumeOptions,
  type EventLog,
  type GroupMember,
  LogUnavailableError,
  type NewRecord,
  type PartitionBounds,
  type TailOptions,
  type Topic,
} from "../../ports/event-log.ts";
import type { Health } from "../../ports/worker.ts";
import { Capacity } from "../event-log/capacity.ts";
import type { Inquiry } from "./inquiry.ts";
import { KafkaMember } from "./member.ts";
import type { LogParts } from "./parts.ts";
import { tailOf } from "./tail.ts";
import { Watch } from "./watch.ts";
import { LogWriter } from "./writer.ts";

/** See open.ts. */
export class KafkaEventLog implements EventLog {
  readonly logId: string;
  readonly #parts: LogParts;
  readonly #inquiry: Inquiry;
  readonly #capacity: Capacity;
  readonly #writer: LogWriter;
  readonly #watch: Watch;
  readonly #members = new Map<string, GroupMember>();
  readonly #closing = new AbortController();
  #closed: Promise<void> | null = null;

  constructor(logId: string, parts: LogParts, inquiry: Inquiry, maxBytes: number) {
    this.logId = logId;
    this.#parts = parts;
    this.#inquiry = inquiry;
    this.#capacity = new Capacity(maxBytes, parts.telemetry.log);
    this.#writer = new LogWriter(parts, this.#capacity);
    this.#watch = new Watch(parts, this.#capacity, logId);
  }

  /** What must work before the log is used; rejects with what kafkajs says. */
  async start(): Promise<void> {
    await Promise.all([this.#writer.connect(), this.#watch.measure()]);
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
    return await this.#writer.append(topic, records, options.bounded ?? false);
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

  async members(group: string): Promise<number> {
    this.#refuseWhenClosed();
    return await this.#parts.offsets.members(group);
  }

  async trim(topic: Topic, partition: number, before: number): Promise<void> {
    this.#refuseWhenClosed();
    this.#parts.names.check(topic, partition);
    this.#parts.condition.throwIfRefused(topic);
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
    await Promise.all([this.#writer.close(), this.#watch.stop()]);
    await Promise.all([this.#parts.readers.close(), this.#inquiry.close()]);
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
    return this.#writer.hold(topic, end);
  }

  #refuseWhenClosed(): void {
    if (this.#closing.signal.aborted) throw new LogUnavailableError("The event log is closed.");
  }
}
