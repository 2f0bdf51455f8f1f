import type { LogRecord } from "../../domain/log-record.ts";
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
import { EmbeddedMember } from "./group-member.ts";
import type { Parts } from "./parts.ts";
import { tailOf } from "./tail.ts";
import { LogWriter } from "./writer.ts";

/** See open.ts. */
export class LmdbEventLog implements EventLog {
  readonly logId: string;
  readonly #parts: Parts;
  readonly #writer: LogWriter;
  readonly #members = new Map<string, GroupMember>();
  readonly #closing = new AbortController();
  #closed: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.logId = parts.logId;
    this.#parts = parts;
    this.#writer = new LogWriter(parts);
  }

  partitions(topic: Topic): number {
    return this.#parts.topics.count(topic);
  }

  async append(
    topic: Topic,
    records: readonly NewRecord[],
    options: { bounded?: boolean } = {},
  ): Promise<Appended[]> {
    this.#refuseWhenClosed();
    if (records.length === 0) return [];
    return topic === "live"
      ? this.#appendLive(records)
      : await this.#writer.append(topic, records, options.bounded ?? false);
  }

  async consume(options: ConsumeOptions): Promise<GroupMember> {
    this.#refuseWhenClosed();
    const { group, topic } = options;
    const name = JSON.stringify([group, topic]);
    if (this.#members.has(name))
      throw new Error(
        `group ${group} already reads topic ${topic} in this process: an embedded log has one member a group`,
      );
    const { commits } = this.#writer;
    const member = new EmbeddedMember(
      this.#parts,
      options,
      this.#parts.topics.all(topic),
      {
        get: (partition) => commits.get(group, topic, partition),
        commit: (partition, next) => commits.commit(group, topic, partition, next),
      },
      () => this.#members.delete(name),
    );
    this.#members.set(name, member);
    return member;
  }

  tail(topic: Topic, options: TailOptions): AsyncIterable<readonly LogRecord[]> {
    this.#refuseWhenClosed();
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    return tailOf(this.#parts.topics.any(topic, options.partition ?? 0), options.from, signal);
  }

  async bounds(topic: Topic): Promise<PartitionBounds[]> {
    this.#refuseWhenClosed();
    return this.#parts.topics
      .all(topic)
      .map(({ partition, earliest, end }) => ({ partition, earliest, end }));
  }

  async committed(group: string, topic: Topic): Promise<ReadonlyMap<number, number>> {
    const places = new Map<number, number>();
    for (let partition = 0; partition < this.partitions(topic); partition++) {
      const next = this.#writer.commits.get(group, topic, partition);
      if (next !== null) places.set(partition, next);
    }
    return places;
  }

  /** Nobody else can have the directory open. */
  async members(group: string): Promise<number> {
    return [...this.#members.keys()].filter((name) => JSON.parse(name)[0] === group).length;
  }

  async trim(topic: Topic, partition: number, before: number): Promise<void> {
    this.#refuseWhenClosed();
    const { topics } = this.#parts;
    if (topic === "live") topics.live(partition).trim(before);
    else await this.#writer.trim(topics.stored(topic, partition), before);
  }

  hasRoom(): boolean {
    return this.#writer.capacity.hasRoom();
  }

  async whenRoom(signal: AbortSignal): Promise<void> {
    await this.#writer.capacity.whenRoom(AbortSignal.any([signal, this.#closing.signal]));
    signal.throwIfAborted();
    this.#refuseWhenClosed();
  }

  health(): Health {
    return this.#writer.health();
  }

  /** Ends tails, stops members, waits until everything appended is on the disk. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#members.values()].map((member) => member.stop()));
    if (await this.#writer.close()) await this.#parts.store.close();
    else this.#parts.telemetry.log.error({}, "log_close_timed_out");
  }

  #appendLive(records: readonly NewRecord[]): Appended[] {
    const { topics } = this.#parts;
    const places = records.map((record) => topics.live(topics.partitionFor("live", record)));
    return records.flatMap((record, i) => {
      const partition = places[i];
      return partition === undefined ? [] : [{ partition: partition.partition, ...partition.append(record) }];
    });
  }

  #refuseWhenClosed(): void {
    if (this.#closing.signal.aborted) throw new LogUnavailableError("The event log is closed.");
  }
}
