import { setImmediate as endOfTurn } from "node:timers/promises";
import type { Assignment, ConsumeOptions, GroupMember, PartitionConsumer } from "../../ports/event-log.ts";
import type { Logger } from "../../ports/telemetry.ts";
import { BATCH_BYTES, BATCH_RECORDS, type Partition, Position, type ReadLimits } from "./partition.ts";

/** A group's places, for one topic. */
export interface MemberCommits {
  get(partition: number): number | null;
  commit(partition: number, next: number): Promise<void>;
}

/** The one member of a group: it owns every partition of the topic, and works each of them at its own pace. */
export class EmbeddedMember implements GroupMember {
  readonly done: Promise<void>;
  readonly #options: ConsumeOptions;
  readonly #limits: ReadLimits;
  readonly #commits: MemberCommits;
  readonly #stopping = new AbortController();
  readonly #positions = new Map<number, Position>();

  constructor(
    options: ConsumeOptions,
    partitions: readonly Partition[],
    commits: MemberCommits,
    log: Logger,
    left: () => void,
  ) {
    this.#options = options;
    this.#limits = {
      bytes: options.batchBytes ?? BATCH_BYTES,
      records: options.batchRecords ?? BATCH_RECORDS,
    };
    this.#commits = commits;
    this.done = this.#runAll(partitions).finally(left);
    // The member's owner may look at `done` only when it stops: a failure must be seen before, and not end the process.
    this.done.catch((error: unknown) => {
      log.error({ err: error, group: options.group, topic: options.topic }, "log_consumer_failed");
    });
  }

  lag(): ReadonlyMap<number, number> {
    return new Map([...this.#positions].map(([partition, position]) => [partition, position.lag]));
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the group member stops"));
    await this.done.catch(() => undefined);
  }

  async #runAll(partitions: readonly Partition[]): Promise<void> {
    const ended = await Promise.allSettled(partitions.map((partition) => this.#run(partition)));
    const failed = ended.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #run(partition: Partition): Promise<void> {
    const { signal } = this.#stopping;
    // Not within `consume`: its caller holds the member before the first call comes.
    await endOfTurn();
    try {
      if (signal.aborted) return;
      const consumer = await this.#options.assigned(this.#assignment(partition));
      try {
        await this.#deliver(partition, consumer);
      } finally {
        await consumer.revoked();
      }
    } catch (error) {
      if (signal.aborted && error === signal.reason) return;
      this.#stopping.abort(error);
      throw error;
    }
  }

  async #deliver(partition: Partition, consumer: PartitionConsumer): Promise<void> {
    const { signal } = this.#stopping;
    const position = new Position(partition, consumer.startAt);
    this.#positions.set(partition.partition, position);
    for (;;) {
      const batch = await position.next(this.#limits, signal);
      if (batch.length === 0) return;
      await consumer.records(batch);
      // A consumer that is always done at once must not keep sockets and timers waiting while it catches up.
      await endOfTurn();
    }
  }

  #assignment(of: Partition): Assignment {
    return {
      topic: this.#options.topic,
      partition: of.partition,
      committed: this.#commits.get(of.partition),
      earliest: of.earliest,
      end: of.end,
      signal: this.#stopping.signal,
      commit: (next) => this.#commits.commit(of.partition, next),
    };
  }
}
