import type { LogRecord } from "../domain/log-record.ts";
import type { Health } from "./worker.ts";

/**
 * `readings`: blocks, changes, ticks and probes, N partitions · `events`: what happened to signals, one partition ·
 * `live`: newest values, one partition, not durable, kept 60 s · `sources`: which sources exist, compacted by key ·
 * `dead-letters`: lines and records that cannot be evaluated, with their place of origin, one partition.
 */
export type Topic = "readings" | "events" | "live" | "sources" | "dead-letters";
export const TOPICS: readonly Topic[] = ["readings", "events", "live", "sources", "dead-letters"];
/** The consumer groups of the service. */
export const GROUPS = {
  ingest: "ingest",
  evaluate: "evaluate",
  record: "record",
  deliver: "deliver",
} as const;
export const LIVE_RETENTION_MS = 60_000;
/** A partition that takes longer to be let go of is told as trouble: nobody reads it meanwhile. */
export const LET_GO_MAX_MS = 3_000;

export interface NewRecord {
  /** Not given: the partition of `key` (murmur2), or 0 where there is no key. */
  readonly partition?: number;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Not copied: leave it alone until the append has settled. */
  readonly value: Uint8Array;
}

/** Where a record came to stand. */
export interface Appended {
  readonly partition: number;
  readonly offset: number;
  readonly appendedAt: number;
}

/** The log is at `LOG_MAX_BYTES`: only `append(..., {bounded: true})` is refused. Wait for `room`. */
export class LogFullError extends Error {
  override readonly name = "LogFullError";
}
/**
 * The log cannot be written or read now (disk full, broker gone). Nothing was acknowledged; try again with back-off, and
 * with the very same records: those that are durable all the same are not written again.
 */
export class LogUnavailableError extends Error {
  override readonly name = "LogUnavailableError";
}

/**
 * Why an assignment's signal aborts when the partition may have been another member's for a while already: that of a
 * process which stood still for too long. Whoever lets go in time is told another reason.
 */
export class PartitionLostError extends Error {
  override readonly name = "PartitionLostError";
}

/** A partition that a group member was given. `signal` aborts when it is taken away, fails, or the member stops. */
export interface Assignment {
  readonly topic: Topic;
  readonly partition: number;
  /** Where the group's next record is, as committed; null if it never was. */
  readonly committed: number | null;
  /** Offset of the oldest record kept; equal to `end` when the partition is empty. */
  readonly earliest: number;
  /** One past the newest record at the time of assignment. */
  readonly end: number;
  readonly signal: AbortSignal;
  /**
   * Whether the partition is this member's without doubt, now. False once `signal` has aborted, and already before that
   * in a process that stood still for so long that others may have been given it: for as long as nothing is proved anew.
   */
  isHeld(): boolean;
  /** Remembers `next` (the offset after the last record done). Never falls. A hint on Kafka (PITFALLS 12), durable on LMDB. */
  commit(next: number): Promise<void>;
  /** What a consumer does beside `records` failed for good: as if `records` rejected with `reason`. */
  fail(reason: unknown): void;
}

/** What a member does with one partition. Calls for one partition never overlap. */
export interface PartitionConsumer {
  /** The first offset wanted; below `earliest` means from `earliest`. */
  readonly startAt: number;
  /** A batch in offset order, without gaps but for compaction and for records that the log cannot give: the last of
   *  those is of kind `unreadable` and says why. The next batch comes after this resolves: back-pressure.
   *  A rejection is for what was not expected: the partition is let go and assigned anew, see `EventLog.consume`. */
  records(batch: readonly LogRecord[]): Promise<void>;
  /**
   * Once per assignment, after its signal aborted: let go of everything, within LET_GO_MAX_MS. No `records` call is
   * running or follows, and nobody else is given the partition before this has settled.
   */
  revoked(): Promise<void>;
}

export interface GroupMember {
  /** Why a partition of this member is not being consumed now, in words for `GET /health/ready`; null while all is well. */
  trouble(): string | null;
  /** Records not yet given to a consumer, by partition owned; while a partition is tried again, from what is committed. */
  lag(): ReadonlyMap<number, number>;
  /** Waits for the batches that are running, revokes, leaves; ends a back-off at once. Never rejects. */
  stop(): Promise<void>;
}

export interface ConsumeOptions {
  readonly group: string;
  readonly topic: Topic;
  readonly assigned: (assignment: Assignment) => Promise<PartitionConsumer>;
  /** A batch is closed at whichever comes first. Default 1 MiB of values, 1,000 records. */
  readonly batchBytes?: number;
  readonly batchRecords?: number;
}

export interface TailOptions {
  readonly partition?: number;
  /** An offset (below the earliest means from the earliest), or "end": from the first record appended after the call. */
  readonly from: number | "end";
  readonly signal: AbortSignal;
}

export interface PartitionBounds {
  readonly partition: number;
  readonly earliest: number;
  readonly end: number;
}

/**
 * An append-only log of topics and partitions. Offsets count from 0 by 1 within a partition and are never used twice,
 * retention and restarts included.
 */
export interface EventLog {
  /** A ULID made with the log: another one means another log. */
  readonly logId: string;
  partitions(topic: Topic): number;
  /**
   * Resolves when every record is durable (LMDB: flushed; Kafka: acks=all); for `live` when it is readable.
   * Records of one call that go to one partition stand in the order given, and calls made one after the other
   * (without awaiting) stand in the order made.
   * `bounded`: refused with LogFullError while the log is at its limit; only readings ask for it.
   */
  append(topic: Topic, records: readonly NewRecord[], options?: { bounded?: boolean }): Promise<Appended[]>;
  /**
   * Joins a group; the partitions of the topic are shared among its members (embedded: one member gets all). Rejects at
   * once for misuse: a second member of the group on this topic, from this log object.
   *
   * A partition whose `assigned` or `records` rejects, or whose consumer calls `fail`, is told (line and metric
   * `log_consumer_failed`, by group and topic) and let go: its signal aborts, then `revoked` is called. After a back-off
   * (ENGINE; from its beginning once the partition has gone well for 30 s) it is assigned anew, from what is committed
   * by then, so records may come again; the member's other partitions go on, and the group is not left meanwhile. This
   * holds for as long as the partition is this member's: one that moves to another member during the back-off is
   * assigned there at once, and is no trouble of this one any more.
   */
  consume(options: ConsumeOptions): Promise<GroupMember>;
  /** Reads without group or commit, in order, waiting for more at the end; ends when the signal aborts. */
  tail(topic: Topic, options: TailOptions): AsyncIterable<readonly LogRecord[]>;
  bounds(topic: Topic): Promise<PartitionBounds[]>;
  committed(group: string, topic: Topic): Promise<ReadonlyMap<number, number>>;
  /** How many members a group has, in whatever process. One that was killed may be counted for some seconds more. */
  members(group: string): Promise<number>;
  /** Deletes records of a partition below `before`; the service calls it with its retention floor. */
  trim(topic: Topic, partition: number, before: number): Promise<void>;
  /** Whether bounded appends are taken; `whenRoom` resolves when they are, or rejects when the signal aborts. */
  hasRoom(): boolean;
  whenRoom(signal: AbortSignal): Promise<void>;
  health(): Health;
  close(): Promise<void>;
}
