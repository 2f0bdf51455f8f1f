import type { Batch, Consumer } from "kafkajs";
import type { Surroundings } from "../../ports/surroundings.ts";
import { type Claim, cooperative } from "./assigner.ts";
import { KafkaClient } from "./client.ts";
import { settledWithin, within } from "./deadline.ts";
import { unavailable } from "./failures.ts";
import { GatheredCommits } from "./gathered-commits.ts";
import { hookInto } from "./group-cluster.ts";
import { unreadableBatches } from "./metrics.ts";
import type { KafkaAccess } from "./options.ts";

export const SESSION_MAX_MS = 8_000;
const HEARTBEAT_MS = 2_000;
/** How long the others wait for a member that does not join anew. */
const REBALANCE_MAX_MS = 15_000;
/** How long a question waits for records; between two of them kafkajs sends its heartbeats. */
const WAIT_MS = 200;
const PARTITION_BYTES = 2 ** 20;
const FETCH_BYTES = 8 * 2 ** 20;
const CONNECT_MAX_MS = 10_000;
const COMMIT_MAX_MS = 10_000;
const LEAVE_MAX_MS = 2_000;
/** The others join anew at their next heartbeat. */
const JOIN_MAX_MS = 3_000;
/** A broker that is started anew is waited for: about 12 s. */
const RETRY = { retries: 16, initialRetryTime: 100, maxRetryTime: 1_000, multiplier: 2, factor: 0.2 };

/** Requests by which a member tells the coordinator that it is there. */
const ASKING = new Set(["Heartbeat", "SyncGroup"]);

export interface MembershipParts extends Surroundings {
  readonly access: KafkaAccess;
  readonly groupId: string;
  /** As the cluster calls it. */
  readonly topic: string;
  readonly countPartitions: (topic: string) => number;
  /** Awaited each time before the group is joined. */
  readonly joining: () => Promise<void>;
  readonly claim: () => Claim;
  /** The group has been joined: before anything is fetched. */
  readonly joined: (memberId: string, partitions: readonly number[]) => void;
  /** The coordinator takes the member for one, as it was asked to at that time (monotonic). */
  readonly heard: (askedAtMs: number) => void;
  /** A partition does not have the offset that was asked for. */
  readonly outOfRange: (partition: number) => void;
  /** Awaited: fetching stands still meanwhile, and so do heartbeats. */
  readonly batch: (batch: Batch, stale: boolean) => Promise<void>;
}

/** One life of a consumer of kafkajs in a group. */
export class Membership {
  readonly #parts: MembershipParts;
  readonly #client: KafkaClient;
  readonly #consumer: Consumer;
  readonly #commits = new GatheredCommits((places) => this.#writeCommits(places));
  readonly #crashed = Promise.withResolvers<Error>();
  #started: Promise<void> = Promise.resolve();
  #rejoinWanted = false;

  constructor(parts: MembershipParts) {
    this.#parts = parts;
    this.#client = new KafkaClient(parts.access, parts.telemetry.log);
    // From the start, so that the first one counts as an increase.
    unreadableBatches(parts.telemetry.metrics).add(0, { topic: parts.topic });
    const share = cooperative(parts.claim, parts.countPartitions);
    this.#consumer = this.#client.kafka.consumer({
      groupId: parts.groupId,
      sessionTimeout: SESSION_MAX_MS,
      heartbeatInterval: HEARTBEAT_MS,
      rebalanceTimeout: REBALANCE_MAX_MS,
      maxWaitTimeInMs: WAIT_MS,
      maxBytesPerPartition: PARTITION_BYTES,
      maxBytes: FETCH_BYTES,
      allowAutoTopicCreation: false,
      retry: { ...RETRY, restartOnFailure: async () => false },
      partitionAssigners: [
        (config) => {
          hookInto(config.cluster, {
            joining: parts.joining,
            takeRejoin: () => this.#takeRejoin(),
            outOfRange: parts.outOfRange,
            telemetry: parts.telemetry,
          });
          return share(config);
        },
      ],
    });
    this.#listen();
  }

  /** Belongs to the group until the signal aborts (null) or something fails for good (why). */
  async live(signal: AbortSignal): Promise<Error | null> {
    const stopped = Promise.withResolvers<null>();
    const stop = () => stopped.resolve(null);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    this.#started = this.#start().catch((error: unknown) => this.#crashed.resolve(unavailable(error)));
    try {
      return await Promise.race([stopped.promise, this.#crashed.promise]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Asks the group to share anew: what was let go of is there for others. */
  rejoin(): void {
    this.#rejoinWanted = true;
  }

  /** Nothing more comes of a partition until it is resumed. */
  pause(partition: number): void {
    this.#ifRunning(() => this.#consumer.pause([this.#one(partition)]));
  }
  resume(partition: number): void {
    this.#ifRunning(() => this.#consumer.resume([this.#one(partition)]));
  }
  seek(partition: number, offset: number): void {
    const { topic } = this.#parts;
    this.#ifRunning(() => this.#consumer.seek({ topic, partition, offset: String(offset) }));
  }

  /** Rejects with LogUnavailableError. */
  commit(partition: number, next: number): Promise<void> {
    return this.#commits.commit(partition, next);
  }

  async #writeCommits(places: ReadonlyMap<number, number>): Promise<void> {
    const { clock, topic } = this.#parts;
    try {
      const offsets = [...places].map(([partition, next]) => ({ topic, partition, offset: String(next) }));
      await within(clock, COMMIT_MAX_MS, "a commit", this.#consumer.commitOffsets(offsets));
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** kafkajs leaves no group that it is only just joining: the others would wait for it until its session ends. */
  async leave(): Promise<void> {
    const { clock } = this.#parts;
    await settledWithin(clock, JOIN_MAX_MS, [this.#started]);
    await settledWithin(clock, LEAVE_MAX_MS, [this.#consumer.disconnect()]);
    this.#client.cut();
  }

  async #start(): Promise<void> {
    const { clock, topic } = this.#parts;
    await within(clock, CONNECT_MAX_MS, "a group member", this.#consumer.connect());
    await this.#consumer.subscribe({ topic, fromBeginning: true });
    await this.#consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async ({ batch, resolveOffset, isRunning, isStale }) => {
        await this.#parts.batch(batch, isStale() || !isRunning());
        resolveOffset(batch.lastOffset());
      },
    });
  }

  #listen(): void {
    const { clock, topic, joined, heard } = this.#parts;
    const { events } = this.#consumer;
    let askedAtMs = clock.monotonic();
    // Comes with each answer, before what it means; kafkajs counts by its own clock.
    this.#consumer.on(events.REQUEST, ({ payload: { apiName, pendingDuration, duration } }) => {
      if (ASKING.has(apiName)) askedAtMs = clock.monotonic() - pendingDuration - duration;
    });
    this.#consumer.on(events.GROUP_JOIN, ({ payload: { memberId, memberAssignment } }) => {
      heard(askedAtMs);
      joined(memberId, memberAssignment[topic] ?? []);
    });
    this.#consumer.on(events.HEARTBEAT, () => heard(askedAtMs));
    this.#consumer.on(events.CRASH, ({ payload: { error } }) => this.#crashed.resolve(unavailable(error)));
  }

  #takeRejoin(): boolean {
    const wanted = this.#rejoinWanted;
    this.#rejoinWanted = false;
    return wanted;
  }

  #one(partition: number): { topic: string; partitions: number[] } {
    return { topic: this.#parts.topic, partitions: [partition] };
  }

  /** kafkajs throws where it does not run: then it has ended, and its crash is on its way. */
  #ifRunning(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.#parts.telemetry.log.debug({ err: error }, "kafka_consumer_ended");
    }
  }
}
