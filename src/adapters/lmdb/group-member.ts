import { setImmediate as endOfTurn } from "node:timers/promises";
import type { Assignment, ConsumeOptions, GroupMember, PartitionConsumer } from "../../ports/event-log.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import { HeldPartition, troubleOf } from "../event-log/held-partition.ts";
import { limitsOf, type ReadLimits } from "../event-log/read-limits.ts";
import { type Partition, Position } from "./partition.ts";

/** A group's places, for one topic. */
export interface MemberCommits {
  get(partition: number): number | null;
  commit(partition: number, next: number): Promise<void>;
}

/** The one member of a group: it owns every partition of the topic, and works each of them at its own pace. */
export class EmbeddedMember implements GroupMember {
  readonly #options: ConsumeOptions;
  readonly #limits: ReadLimits;
  readonly #commits: MemberCommits;
  readonly #stopping = new AbortController();
  readonly #positions = new Map<number, Position>();
  readonly #held: readonly HeldPartition[];
  readonly #ended: Promise<void>;

  constructor(
    surroundings: Surroundings,
    options: ConsumeOptions,
    partitions: readonly Partition[],
    commits: MemberCommits,
    left: () => void,
  ) {
    this.#options = options;
    this.#limits = limitsOf(options);
    this.#commits = commits;
    this.#held = partitions.map((of) => {
      this.#rewind(of);
      return new HeldPartition(surroundings, options, {
        partition: of.partition,
        assignment: (signal, fail) => this.#assignment(of, signal, fail),
        deliver: (consumer, signal, well) => this.#deliver(of, consumer, signal, well),
      });
    });
    this.#ended = this.#holdAll().finally(left);
  }

  trouble(): string | null {
    return troubleOf(this.#held);
  }

  lag(): ReadonlyMap<number, number> {
    return new Map([...this.#positions].map(([partition, position]) => [partition, position.lag]));
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the group member stops"));
    await this.#ended;
  }

  async #holdAll(): Promise<void> {
    // Not within `consume`: its caller holds the member before the first call comes.
    await endOfTurn();
    await Promise.all(this.#held.map((held) => held.hold(this.#stopping.signal)));
  }

  async #deliver(
    of: Partition,
    consumer: PartitionConsumer,
    signal: AbortSignal,
    well: () => void,
  ): Promise<void> {
    const position = new Position(of, consumer.startAt);
    this.#positions.set(of.partition, position);
    try {
      for (;;) {
        if (position.lag === 0) well();
        const batch = await position.next(this.#limits, signal);
        if (batch.length === 0) return;
        await consumer.records(batch);
        well();
        // A consumer that is always done at once must not keep sockets and timers waiting while it catches up.
        await endOfTurn();
      }
    } finally {
      this.#rewind(of);
    }
  }

  /** Until it is assigned, a partition stands where the group's next record is. */
  #rewind(of: Partition): void {
    this.#positions.set(of.partition, new Position(of, this.#commits.get(of.partition) ?? 0));
  }

  #assignment(of: Partition, signal: AbortSignal, fail: Assignment["fail"]): Assignment {
    return {
      topic: this.#options.topic,
      partition: of.partition,
      committed: this.#commits.get(of.partition),
      earliest: of.earliest,
      end: of.end,
      signal,
      isHeld: () => !signal.aborted,
      commit: (next) => this.#commits.commit(of.partition, next),
      fail,
    };
  }
}
