import { z } from "zod";
import { TOPICS, type Topic } from "../../ports/event-log.ts";
import { PARTITIONS_MAX } from "./keys.ts";
import type { Store } from "./store.ts";
import type { PartitionEnd } from "./stored-partition.ts";

const FORMAT = 1;

/** A fact's name: JSON of an array, so that no part can be taken for another. */
const nameOf = (...parts: readonly (string | number)[]): Uint8Array => Buffer.from(JSON.stringify(parts));
const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const decode = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString());

const End = z.object({ end: z.number(), lastAppendedAt: z.number() });
const CommitName = z.tuple([z.literal("commit"), z.string(), z.enum(TOPICS), z.number()]);

/** The log was made with another number of partitions, or by another version. Nothing was touched. */
export class LogLayoutError extends Error {
  override readonly name = "LogLayoutError";
}

/** What the log knows of itself, beside its records. */
export class Facts {
  readonly #facts: Store["facts"];

  constructor(store: Store) {
    this.#facts = store.facts;
  }

  get logId(): string | undefined {
    const stored = this.#read("logId");
    return stored === undefined ? undefined : z.string().parse(stored);
  }

  /** The same at every opening: a signal's partition, and with it every id made from it, rests on the count. */
  create(logId: string, counts: Readonly<Record<Topic, number>>): void {
    this.#put(nameOf("format"), FORMAT);
    this.#put(nameOf("logId"), logId);
    for (const topic of TOPICS) this.#put(nameOf("partitions", topic), counts[topic]);
  }

  check(counts: Readonly<Record<Topic, number>>, directory: string): void {
    const format = this.#read("format");
    if (format !== FORMAT)
      throw new LogLayoutError(
        `The event log in ${directory} has format ${String(format)}, this version reads ${FORMAT}.`,
      );
    for (const topic of TOPICS) {
      const stored = z.number().parse(this.#read("partitions", topic));
      if (stored === counts[topic]) continue;
      const setting = topic === "readings" ? `PARTITIONS=${stored}` : `${stored} partitions of ${topic}`;
      throw new LogLayoutError(
        `The event log in ${directory} was made with ${stored} partitions of topic ${topic}, not ${counts[topic]}: ` +
          `start with ${setting} as before. Its data are untouched.`,
      );
    }
  }

  partitionEnd(topic: Topic, partition: number): PartitionEnd | undefined {
    const stored = this.#read("end", topic, partition);
    return stored === undefined ? undefined : End.parse(stored);
  }

  /** Within the running transaction. */
  putPartitionEnd(topic: Topic, partition: number, end: PartitionEnd): void {
    this.#put(nameOf("end", topic, partition), end);
  }

  putCommit(group: string, topic: Topic, partition: number, next: number): void {
    this.#put(nameOf("commit", group, topic, partition), next);
  }

  *commits(): Iterable<{ group: string; topic: Topic; partition: number; next: number }> {
    for (const { key, value } of this.#facts.getRange()) {
      const name = CommitName.safeParse(decode(key));
      if (!name.success) continue;
      const [, group, topic, partition] = name.data;
      yield { group, topic, partition, next: z.number().parse(decode(value)) };
    }
  }

  #read(...name: readonly (string | number)[]): unknown {
    const bytes = this.#facts.get(nameOf(...name));
    return bytes === undefined ? undefined : decode(bytes);
  }

  #put(name: Uint8Array, value: unknown): void {
    void this.#facts.put(name, encode(value));
  }
}

/** One partition of each topic that is not named. */
export const partitionCounts = (asked: Partial<Record<Topic, number>>): Record<Topic, number> => {
  const countOf = (topic: Topic): number => {
    const count = asked[topic] ?? 1;
    if (!Number.isInteger(count) || count < 1 || count > PARTITIONS_MAX)
      throw new RangeError(`topic ${topic} cannot have ${count} partitions`);
    return count;
  };
  return {
    readings: countOf("readings"),
    events: countOf("events"),
    live: countOf("live"),
    sources: countOf("sources"),
    "dead-letters": countOf("dead-letters"),
  };
};
