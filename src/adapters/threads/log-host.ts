import { createBirpc } from "birpc";
import type { LogRecord } from "../../domain/log-record.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Assignment, EventLog, GroupMember, PartitionConsumer, Topic } from "../../ports/event-log.ts";
import { channel, type Port } from "./channel.ts";
import { LetGoError, packFailure, unpackFailure } from "./failures.ts";
import { type GuestCalls, type HostCalls, LOG_CHANNEL, type LogNews } from "./log-calls.ts";
import { pack, unpack } from "./packed-records.ts";

const NEWS_EVERY_MS = 100;

type ToGuest = ReturnType<typeof createBirpc<GuestCalls, HostCalls>>;
interface OpenTail {
  readonly batches: AsyncIterator<readonly LogRecord[]>;
  readonly end: AbortController;
}

/** What one guest has of the log. */
class LogHost {
  readonly #log: EventLog;
  readonly #guest: ToGuest;
  readonly #members = new Map<number, GroupMember>();
  readonly #assignments = new Map<number, Assignment>();
  readonly #tails = new Map<number, OpenTail>();
  readonly #stopNews: () => void;
  readonly #closing = new AbortController();
  #assigned = 0;

  constructor(log: EventLog, port: Port, clock: Clock) {
    this.#log = log;
    this.#guest = createBirpc<GuestCalls, HostCalls>(this.#calls(), channel(port, LOG_CHANNEL));
    this.#stopNews = clock.every(NEWS_EVERY_MS, () => this.#tellNews());
  }

  #news(): LogNews {
    const members = [...this.#members].map(
      ([number, member]) => [number, { trouble: member.trouble(), lag: member.lag() }] as const,
    );
    return { hasRoom: this.#log.hasRoom(), health: this.#log.health(), members: new Map(members) };
  }

  close(): void {
    this.#stopNews();
    this.#closing.abort();
    for (const { end } of this.#tails.values()) end.abort();
    this.#guest.$close();
  }

  #calls(): HostCalls {
    const log = this.#log;
    return {
      append: (topic, records, options) =>
        log.append(topic, unpack(records), options).catch((error: unknown) => {
          // That it is full is known there before its caller hears of it.
          this.#tellNews();
          throw error;
        }),
      join: async (number, options) => {
        const assigned = (assignment: Assignment) => this.#assign(number, assignment);
        this.#members.set(number, await log.consume({ ...options, assigned }));
        this.#tellNews();
      },
      leave: async (number) => {
        await this.#members.get(number)?.stop();
        this.#members.delete(number);
      },
      commit: async (number, next) => this.#assignments.get(number)?.commit(next),
      fail: (number, reason) => this.#assignments.get(number)?.fail(unpackFailure(reason)),
      openTail: async (number, topic, options) => {
        const end = new AbortController();
        const batches = log.tail(topic, { ...options, signal: end.signal })[Symbol.asyncIterator]();
        this.#tails.set(number, { batches, end });
      },
      nextOfTail: async (number) => {
        const { value } = (await this.#tails.get(number)?.batches.next()) ?? {};
        return value === undefined ? null : pack<LogRecord>(value);
      },
      closeTail: async (number) => {
        const tail = this.#tails.get(number);
        this.#tails.delete(number);
        tail?.end.abort();
        await tail?.batches.return?.();
      },
      bounds: (topic) => log.bounds(topic),
      committed: (group, topic) => log.committed(group, topic),
      members: (group) => log.members(group),
      trim: (topic, partition, before) => log.trim(topic, partition, before),
      whenRoom: async () => {
        await log.whenRoom(this.#closing.signal);
        return this.#news();
      },
    };
  }

  async #assign(member: number, assignment: Assignment): Promise<PartitionConsumer> {
    const number = ++this.#assigned;
    const { topic, partition, committed, earliest, end, signal } = assignment;
    this.#assignments.set(number, assignment);
    const aborted = () => {
      if (!this.#guest.$closed) void this.#guest.aborted.asEvent(number, packFailure(signal.reason));
    };
    signal.addEventListener("abort", aborted, { once: true });
    const reasonOf = (error: unknown): never => {
      throw signal.aborted && error instanceof LetGoError ? signal.reason : error;
    };
    const forget = () => {
      signal.removeEventListener("abort", aborted);
      this.#assignments.delete(number);
    };
    try {
      const place = { topic, partition, committed, earliest, end };
      const startAt = await this.#guest.assigned(member, number, place).catch(reasonOf);
      return {
        startAt,
        records: (batch) => this.#guest.records(number, pack(batch), this.#news()).catch(reasonOf),
        revoked: () => this.#guest.revoked(number).finally(forget),
      };
    } catch (error) {
      forget();
      throw error;
    }
  }

  #tellNews(): void {
    // An append or a join may outlast the guest.
    if (!this.#guest.$closed) void this.#guest.news.asEvent(this.#news());
  }
}

/** What a guest must know from its start. */
export interface LogFacts {
  readonly logId: string;
  readonly partitions: Readonly<Record<Topic, number>>;
  readonly news: LogNews;
}

export const logFacts = (log: EventLog): LogFacts => ({
  logId: log.logId,
  partitions: {
    readings: log.partitions("readings"),
    events: log.partitions("events"),
    live: log.partitions("live"),
    sources: log.partitions("sources"),
    "dead-letters": log.partitions("dead-letters"),
  },
  news: { hasRoom: log.hasRoom(), health: log.health(), members: new Map() },
});

/** Lets the thread at the other end of `port` use the log by `guestLog`, until the function given is called. */
export const hostLog = (log: EventLog, port: Port, clock: Clock): (() => void) => {
  const host = new LogHost(log, port, clock);
  return () => host.close();
};
