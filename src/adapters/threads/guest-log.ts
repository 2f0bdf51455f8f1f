import { createBirpc } from "birpc";
import type { LogRecord } from "../../domain/log-record.ts";
import {
  type Appended,
  type ConsumeOptions,
  type EventLog,
  type GroupMember,
  LogUnavailableError,
  type NewRecord,
  type TailOptions,
  type Topic,
} from "../../ports/event-log.ts";
import type { Health } from "../../ports/worker.ts";
import { channel, type Port } from "./channel.ts";
import { packFailure, unpackFailure } from "./failures.ts";
import { GuestAssignment } from "./guest-assignment.ts";
import { type GuestCalls, type HostCalls, LOG_CHANNEL, type LogNews } from "./log-calls.ts";
import type { LogFacts } from "./log-host.ts";
import { pack, unpack } from "./packed-records.ts";

type ToHost = ReturnType<typeof createBirpc<HostCalls, GuestCalls>>;

/** What the log is told of a record: whatever else its maker keeps in it would be copied for nothing. */
const bare = ({ partition, key, headers, value }: NewRecord): NewRecord => ({
  ...(partition === undefined ? {} : { partition }),
  ...(key === undefined ? {} : { key }),
  ...(headers === undefined ? {} : { headers }),
  value,
});

class GuestLog implements EventLog {
  readonly logId: string;
  readonly #facts: LogFacts;
  readonly #host: ToHost;
  readonly #consumers = new Map<number, ConsumeOptions["assigned"]>();
  readonly #assignments = new Map<number, GuestAssignment>();
  readonly #members = new Set<GroupMember>();
  /** Tails that are being closed. */
  readonly #endedTails = new Map<number, Promise<void>>();
  readonly #closing = new AbortController();
  #news: LogNews;
  #numbers = 0;
  #room: Promise<void> | null = null;

  constructor(facts: LogFacts, port: Port) {
    this.logId = facts.logId;
    this.#facts = facts;
    this.#news = facts.news;
    this.#host = createBirpc<HostCalls, GuestCalls>(this.#calls(), channel(port, LOG_CHANNEL));
  }

  partitions(topic: Topic): number {
    return this.#facts.partitions[topic];
  }

  async append(
    topic: Topic,
    records: readonly NewRecord[],
    options: { bounded?: boolean } = {},
  ): Promise<Appended[]> {
    this.#refuseWhenClosed();
    return await this.#host.append(topic, pack(records.map(bare)), options);
  }

  async consume({ assigned, ...options }: ConsumeOptions): Promise<GroupMember> {
    this.#refuseWhenClosed();
    const number = ++this.#numbers;
    this.#consumers.set(number, assigned);
    try {
      await this.#host.join(number, options);
    } catch (error) {
      this.#consumers.delete(number);
      throw error;
    }
    return this.#member(number);
  }

  tail(topic: Topic, { signal: ended, ...options }: TailOptions): AsyncIterable<readonly LogRecord[]> {
    this.#refuseWhenClosed();
    const number = ++this.#numbers;
    const signal = AbortSignal.any([ended, this.#closing.signal]);
    const opened = this.#host.openTail(number, topic, options);
    // A tail that nobody reads has nobody to tell.
    opened.catch(() => undefined);
    return this.#batches(number, opened, signal);
  }

  bounds(topic: Topic) {
    this.#refuseWhenClosed();
    return this.#host.bounds(topic);
  }
  committed(group: string, topic: Topic) {
    return this.#host.committed(group, topic);
  }
  members(group: string) {
    return this.#host.members(group);
  }
  trim(topic: Topic, partition: number, before: number) {
    this.#refuseWhenClosed();
    return this.#host.trim(topic, partition, before);
  }

  hasRoom(): boolean {
    return this.#news.hasRoom;
  }

  async whenRoom(ended: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([ended, this.#closing.signal]);
    const aborted = Promise.withResolvers<void>();
    const stop = () => aborted.resolve();
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    await Promise.race([this.#roomAgain(), aborted.promise]);
    signal.removeEventListener("abort", stop);
    ended.throwIfAborted();
    this.#refuseWhenClosed();
  }

  health(): Health {
    const closed = { state: "down", detail: "The event log is closed." } as const;
    return this.#closing.signal.aborted ? { ...this.#news.health, ...closed } : this.#news.health;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#members].map((member) => member.stop()));
    await Promise.all(this.#endedTails.values());
    this.#host.$close();
  }

  #calls(): GuestCalls {
    return {
      assigned: async (member, number, place) => {
        const assignment = new GuestAssignment(member, place, {
          commit: (next) => this.#host.commit(number, next),
          fail: (reason) => {
            if (!this.#host.$closed) void this.#host.fail.asEvent(number, packFailure(reason));
          },
        });
        const assigned = this.#consumers.get(member);
        if (assigned === undefined) throw new Error(`member ${member} has left`);
        this.#assignments.set(number, assignment);
        try {
          return await assignment.begin(assigned);
        } catch (error) {
          this.#assignments.delete(number);
          throw assignment.failed(error);
        }
      },
      aborted: (number, reason) => this.#assignments.get(number)?.abort(unpackFailure(reason)),
      records: async (number, batch, news) => {
        this.#news = news;
        await this.#assignments.get(number)?.records(unpack(batch));
      },
      revoked: async (number) => {
        try {
          await this.#assignments.get(number)?.consumer?.revoked();
        } finally {
          this.#assignments.delete(number);
        }
      },
      news: (news) => {
        this.#news = news;
      },
    };
  }

  #member(number: number): GroupMember {
    let stopped: Promise<void> | null = null;
    const stop = async () => {
      for (const assignment of this.#assignments.values())
        if (assignment.member === number) assignment.abort(new Error("the group member stops"));
      await this.#host.leave(number);
      this.#consumers.delete(number);
      this.#members.delete(member);
    };
    const member: GroupMember = {
      trouble: () => this.#news.members.get(number)?.trouble ?? null,
      lag: () => this.#news.members.get(number)?.lag ?? new Map(),
      stop: () => {
        stopped ??= stop();
        return stopped;
      },
    };
    this.#members.add(member);
    return member;
  }

  async *#batches(
    number: number,
    opened: Promise<void>,
    signal: AbortSignal,
  ): AsyncGenerator<readonly LogRecord[]> {
    const close = () => this.#closeTail(number);
    signal.addEventListener("abort", close, { once: true });
    try {
      if (!signal.aborted) await opened;
      for (;;) {
        const batch = signal.aborted ? null : await this.#host.nextOfTail(number);
        if (batch === null) return;
        yield unpack(batch);
      }
    } finally {
      signal.removeEventListener("abort", close);
      await this.#closeTail(number);
    }
  }

  #closeTail(number: number): Promise<void> {
    let ended = this.#endedTails.get(number);
    if (ended !== undefined) return ended;
    ended = this.#host.closeTail(number).finally(() => this.#endedTails.delete(number));
    this.#endedTails.set(number, ended);
    return ended;
  }

  /** One question for all who wait. */
  #roomAgain(): Promise<void> {
    const wait = async () => {
      this.#news = await this.#host.whenRoom();
    };
    this.#room ??= wait().finally(() => {
      this.#room = null;
    });
    return this.#room;
  }

  #refuseWhenClosed(): void {
    if (this.#closing.signal.aborted) throw new LogUnavailableError("The event log is closed.");
  }
}

/**
 * The log of another thread of this process, which has called `hostLog` for the other end of `port`. What a caller asks
 * without waiting (room, lag, trouble) is as that thread told it last: every tenth of a second, later while it is busy. For a log whose partitions never
 * move to another process: a guest learns of a lost partition a moment later.
 */
export const guestLog = (facts: LogFacts, port: Port): EventLog => new GuestLog(facts, port);
