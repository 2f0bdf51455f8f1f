import { setImmediate as endOfTurn } from "node:timers/promises";
import type { Batch } from "kafkajs";
import {
  type Assignment,
  type ConsumeOptions,
  type PartitionBounds,
  type PartitionConsumer,
  PartitionLostError,
} from "../../ports/event-log.ts";
import { HeldPartition, type Holding } from "../event-log/held-partition.ts";
import { limitsOf } from "../event-log/read-limits.ts";
import { Commits } from "./commits.ts";
import { settledWithin } from "./deadline.ts";
import { Feed } from "./feed.ts";
import type { Lease } from "./lease.ts";
import type { Membership } from "./membership.ts";
import type { LogParts } from "./parts.ts";
import { sizeOf, toRecord } from "./record.ts";

/** A consumer that is about as quick as Kafka gets that long before its partition is paused: resuming takes longer. */
const PAUSED_AFTER_MS = 25;

export interface TenureParts {
  readonly log: LogParts;
  readonly options: ConsumeOptions;
  readonly membership: Membership;
  readonly lease: Lease;
  /** What the group has committed and which offsets there are, of every partition of the topic. */
  readonly look: () => Promise<{
    committed: ReadonlyMap<number, number>;
    bounds: readonly PartitionBounds[];
  }>;
  readonly feedLimitBytes: () => number;
  /** What waits in the feed has changed. */
  readonly fed: () => void;
  /** Reading has begun or ended. */
  readonly turned: () => void;
}

/** One partition, from when the group gave it to this member until it is let go of. */
export class Tenure implements Holding {
  readonly partition: number;
  readonly held: HeldPartition;
  /** Resolves when it has been let go of. */
  readonly done: Promise<void>;
  readonly #parts: TenureParts;
  readonly #ending = new AbortController();
  readonly #commits: Commits;
  #feed: Feed | null = null;
  #unreadSinceMs: number;
  #fail: Assignment["fail"] = () => undefined;
  #earliest = 0;

  /** Begins when `before` has settled: the same partition in an earlier tenure. */
  constructor(parts: TenureParts, partition: number, before: Promise<unknown>) {
    this.#parts = parts;
    this.#unreadSinceMs = parts.log.clock.monotonic();
    this.partition = partition;
    this.#commits = new Commits(null, (next) => parts.membership.commit(partition, next));
    this.held = new HeldPartition(parts.log, parts.options, this);
    this.done = before.then(() => this.held.hold(this.#ending.signal));
  }

  /** Records that were not yet given to the consumer. */
  get lag(): number {
    const position = this.#feed?.position ?? Math.max(this.#commits.committed ?? 0, this.#earliest);
    return Math.max(0, this.#end - position);
  }

  /** For how long nothing has been read of it; null while it is read. */
  get unreadMs(): number | null {
    return this.#feed === null ? this.#parts.log.clock.monotonic() - this.#unreadSinceMs : null;
  }

  /** Bytes that wait for the consumer. */
  get waitingBytes(): number {
    return this.#feed?.bytes ?? 0;
  }

  /** Lets go of the partition, which others may have had for a while if it is `lost`; `done` says when that is over. */
  end(lost: boolean): void {
    const Reason = lost || this.#parts.lease.expired ? PartitionLostError : Error;
    this.#ending.abort(new Reason("the partition was taken away"));
  }

  /** After the group was joined anew and the partition has stayed: kafkajs has forgotten where it was. */
  goOn(): void {
    if (this.#feed !== null) this.#parts.membership.seek(this.partition, this.#feed.next);
  }

  /** Takes what Kafka gave; fetching waits for it. */
  async receive(batch: Batch): Promise<void> {
    const feed = this.#feed;
    if (feed === null) return;
    const { log, options, membership, fed } = this.#parts;
    const records = batch.messages.map((message) => toRecord(this.partition, message));
    feed.push(records);
    fed();
    log.ends.raise(options.topic, this.partition, Number(batch.highWatermark));
    const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0);
    log.estimate.seen(options.topic, bytes, records.length);
    if (!feed.full) return;
    await settledWithin(log.clock, PAUSED_AFTER_MS, [feed.whenRoom(this.#ending.signal)]);
    if (feed.full) membership.pause(this.partition);
  }

  /** Records that were to be read are not there: nothing more comes until it is known why. */
  outOfRange(): void {
    this.#parts.membership.pause(this.partition);
    const feed = this.#feed;
    if (feed !== null) this.#findPlace(feed).catch((error: unknown) => this.#fail(error));
  }

  async assignment(signal: AbortSignal, fail: Assignment["fail"]): Promise<Assignment> {
    const { log, options, look } = this.#parts;
    this.#fail = fail;
    this.#throwIfRefused();
    const { committed, bounds } = await look();
    signal.throwIfAborted();
    this.#commits.learned(committed.get(this.partition) ?? null);
    const { earliest = 0, end = 0 } = bounds.find(({ partition }) => partition === this.partition) ?? {};
    this.#earliest = earliest;
    log.ends.raise(options.topic, this.partition, end);
    return {
      topic: options.topic,
      partition: this.partition,
      committed: this.#commits.committed,
      earliest,
      end,
      signal,
      isHeld: () => !signal.aborted && !this.#parts.lease.expired,
      commit: (next) => this.#commits.commit(next),
      fail,
    };
  }

  async deliver(consumer: PartitionConsumer, signal: AbortSignal, well: () => void): Promise<void> {
    const limits = limitsOf(this.#parts.options);
    const feed = await this.#open(consumer.startAt, signal);
    const close = () => this.#close(feed);
    signal.addEventListener("abort", close, { once: true });
    try {
      for (;;) {
        if (this.lag === 0) well();
        const batch = await feed.take(limits, signal);
        this.#parts.fed();
        await this.#parts.lease.holds(signal);
        if (batch.length === 0 || signal.aborted) return;
        this.#throwIfRefused();
        await consumer.records(batch);
        well();
        await endOfTurn();
      }
    } finally {
      signal.removeEventListener("abort", close);
      close();
    }
  }

  get #end(): number {
    return this.#parts.log.ends.get(this.#parts.options.topic, this.partition);
  }

  async #open(startAt: number, signal: AbortSignal): Promise<Feed> {
    const from = Math.max(startAt, this.#earliest);
    const { log, options, membership, feedLimitBytes } = this.#parts;
    if (from > this.#end) await log.continuity.verify(options.topic, this.partition, from);
    signal.throwIfAborted();
    const feed = new Feed(from, feedLimitBytes(), () => membership.resume(this.partition));
    this.#feed = feed;
    this.#parts.turned();
    membership.seek(this.partition, from);
    membership.resume(this.partition);
    return feed;
  }

  #close(feed: Feed): void {
    if (this.#feed !== feed) return;
    this.#feed = null;
    this.#unreadSinceMs = this.#parts.log.clock.monotonic();
    this.#parts.membership.pause(this.partition);
    this.#parts.turned();
  }

  async #findPlace(feed: Feed): Promise<void> {
    const { log, options, membership } = this.#parts;
    const place = await log.continuity.placeFor(options.topic, this.partition, feed.next);
    if (this.#feed !== feed) return;
    membership.seek(this.partition, place);
    membership.resume(this.partition);
  }

  #throwIfRefused(): void {
    this.#parts.log.condition.throwIfRefused(this.#parts.options.topic);
  }
}
