import type { LogRecord } from "../../domain/log-record.ts";
import type {
  Appended,
  Assignment,
  ConsumeOptions,
  NewRecord,
  PartitionBounds,
  TailOptions,
  Topic,
} from "../../ports/event-log.ts";
import type { Health } from "../../ports/worker.ts";
import type { PackedFailure } from "./failures.ts";
import type { Packed } from "./packed-records.ts";

export type AssignedPlace = Pick<Assignment, "topic" | "partition" | "committed" | "earliest" | "end">;

/** What callers of the log may ask at any time, and a guest knows as of a moment ago. */
export interface LogNews {
  readonly hasRoom: boolean;
  readonly health: Health;
  readonly members: ReadonlyMap<
    number,
    { readonly trouble: string | null; readonly lag: ReadonlyMap<number, number> }
  >;
}

/** What a guest asks of the thread that has the log. Members, assignments and tails go by numbers. */
export interface HostCalls {
  append(topic: Topic, records: Packed<NewRecord>, options: { bounded?: boolean }): Promise<Appended[]>;
  join(member: number, options: Omit<ConsumeOptions, "assigned">): Promise<void>;
  leave(member: number): Promise<void>;
  commit(assignment: number, next: number): Promise<void>;
  fail(assignment: number, reason: PackedFailure): void;
  openTail(tail: number, topic: Topic, options: Omit<TailOptions, "signal">): Promise<void>;
  /** Null at its end. */
  nextOfTail(tail: number): Promise<Packed<LogRecord> | null>;
  closeTail(tail: number): Promise<void>;
  bounds(topic: Topic): Promise<PartitionBounds[]>;
  committed(group: string, topic: Topic): Promise<ReadonlyMap<number, number>>;
  members(group: string): Promise<number>;
  trim(topic: Topic, partition: number, before: number): Promise<void>;
  whenRoom(): Promise<LogNews>;
}

/** What the thread that has the log tells a guest. */
export interface GuestCalls {
  /** Gives the first offset wanted. This and `records` reject with LetGoError for a partition that was taken away. */
  assigned(member: number, assignment: number, place: AssignedPlace): Promise<number>;
  aborted(assignment: number, reason: PackedFailure): void;
  records(assignment: number, batch: Packed<LogRecord>, news: LogNews): Promise<void>;
  revoked(assignment: number): Promise<void>;
  news(news: LogNews): void;
}

/** The name of their channel. */
export const LOG_CHANNEL = "log";
