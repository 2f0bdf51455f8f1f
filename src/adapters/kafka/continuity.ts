import {
  GROUPS,
  LogUnavailableError,
  type PartitionBounds,
  TOPICS,
  type Topic,
} from "../../ports/event-log.ts";
import type { Counter, Logger } from "../../ports/telemetry.ts";
import type { Condition } from "./condition.ts";
import type { Ends } from "./ends.ts";
import { isOutOfRange } from "./failures.ts";
import type { LogOffsets } from "./offsets.ts";
import type { Readers } from "./readers.ts";
import type { TopicNames } from "./topic-names.ts";

/** Of topic `live` a broker that ends may take the last with it, which nobody was promised to keep. */
export const LASTING: readonly Topic[] = TOPICS.filter((topic) => topic !== "live");

export interface ContinuityParts {
  readonly names: TopicNames;
  readonly offsets: LogOffsets;
  readonly readers: Readers;
  readonly condition: Condition;
  readonly ends: Ends;
  readonly log: Logger;
  readonly skipped: Counter;
}

/**
 * Sees to it that records which the brokers had acknowledged and have lost (an unclean election, a lost disk, a topic
 * made anew) do not go unseen: others come in their place, below where readers stand, and nobody would read those.
 */
export class Continuity {
  readonly #parts: ContinuityParts;

  constructor(parts: ContinuityParts) {
    this.#parts = parts;
  }

  /** Where partitions ended, as far as is known: to be asked before the brokers are. */
  known(topics: readonly Topic[]): ReadonlyMap<Topic, readonly number[]> {
    const { ends, names } = this.#parts;
    return new Map(
      topics.map((topic) => [
        topic,
        Array.from({ length: names.count(topic) }, (_, partition) => ends.get(topic, partition)),
      ]),
    );
  }

  /** What groups have committed was there once: a loss is seen also by a process that was not there when it came. */
  async learn(): Promise<void> {
    const { offsets, ends } = this.#parts;
    const learnt = Object.values(GROUPS).map(async (group) => {
      for (const [topic, places] of await offsets.allCommitted(group, LASTING))
        for (const [partition, next] of places) ends.raise(topic, partition, next);
    });
    await Promise.all(learnt);
  }

  /** Looks again at partitions that end before where they ended. */
  async compare(
    before: ReadonlyMap<Topic, readonly number[]>,
    now: ReadonlyMap<Topic, readonly PartitionBounds[]>,
  ): Promise<void> {
    for (const [topic, bounds] of now)
      for (const { partition, end } of bounds) {
        const had = before.get(topic)?.[partition] ?? 0;
        // Open transactions of other clients hide records at the end, too.
        if (end < had) await this.verify(topic, partition, had);
      }
  }

  /** Throws, and refuses the log, if the partition does not come up to `had` any more. Rejects where nobody can say. */
  async verify(topic: Topic, partition: number, had: number): Promise<void> {
    if (await this.#reaches(topic, partition, had)) return;
    const { earliest, end } = await this.#boundsOf(topic, partition);
    // Below what is kept: old records were deleted.
    if (had >= earliest) throw this.#lost(topic, partition, had, end);
  }

  /** Where a reader goes on that is told that there is no record `next`; rejects as `verify` does. */
  async placeFor(topic: Topic, partition: number, next: number): Promise<number> {
    if (topic !== "live") await this.verify(topic, partition, next);
    const { earliest } = await this.#boundsOf(topic, partition);
    if (earliest <= next) return topic === "live" ? earliest : next;
    const { log, skipped } = this.#parts;
    log.warn({ topic, partition, next, earliest }, "log_skipped_records");
    skipped.add(earliest - next, { topic });
    return earliest;
  }

  /** As `verify`, for a record that was just placed at `offset` where the partition had ended at `had` or later. */
  placed(topic: Topic, partition: number, had: number, offset: number): void {
    if (topic !== "live" && offset < had) throw this.#lost(topic, partition, had, offset);
  }

  async #reaches(topic: Topic, partition: number, offset: number): Promise<boolean> {
    const { readers, names } = this.#parts;
    const reader = await readers.take();
    try {
      await reader.fetch({ name: names.of(topic), partition, offset }, 1, 0);
      readers.giveBack(reader);
      return true;
    } catch (error) {
      readers.discard(reader);
      if (isOutOfRange(error)) return false;
      throw error;
    }
  }

  async #boundsOf(topic: Topic, partition: number): Promise<PartitionBounds> {
    const bounds = await this.#parts.offsets.bounds(topic);
    return bounds.find((each) => each.partition === partition) ?? { partition, earliest: 0, end: 0 };
  }

  #lost(topic: Topic, partition: number, had: number, end: number): LogUnavailableError {
    const { names, condition } = this.#parts;
    const error = new LogUnavailableError(
      `Partition ${partition} of topic ${names.of(topic)} ends at offset ${end}, and has ended at ${had} before: the ` +
        "brokers have lost records that they had acknowledged. Nothing is taken or consumed any more, as what comes in " +
        "their place would not be read. Bring back the replica that has them, then start all workers anew. Or give them " +
        `up: stop all workers, delete the topics ${names.of("readings")}, ${names.of("events")} and the others of that ` +
        "prefix, and start again: a new log goes on with what control data knows.",
    );
    condition.refuse(error, LASTING);
    return error;
  }
}
