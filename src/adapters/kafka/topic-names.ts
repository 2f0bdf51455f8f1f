import { TOPICS, type Topic } from "../../ports/event-log.ts";

export const META_TOPIC = "meta";
export type OwnTopic = Topic | typeof META_TOPIC;
export const OWN_TOPICS: readonly OwnTopic[] = [...TOPICS, META_TOPIC];

const PARTITIONS_MAX = 10_000;

/** Where they are not named: as many of `sources` as of `readings`, so that workers can share both; one of the others. */
export const partitionCounts = (asked: Partial<Record<Topic, number>>): Readonly<Record<Topic, number>> => {
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
    sources: asked.sources === undefined ? countOf("readings") : countOf("sources"),
    "dead-letters": countOf("dead-letters"),
  };
};

/** What our topics and groups are called on the cluster. */
export class TopicNames {
  readonly #prefix: string;
  readonly #counts: Readonly<Record<Topic, number>>;

  constructor(prefix: string, counts: Readonly<Record<Topic, number>>) {
    this.#prefix = prefix;
    this.#counts = counts;
  }

  of(topic: OwnTopic): string {
    return `${this.#prefix}${topic}`;
  }
  group(group: string): string {
    return `${this.#prefix}${group}`;
  }
  /** How many partitions a topic has by the configuration; the meta topic has one. */
  count(topic: OwnTopic): number {
    return topic === META_TOPIC ? 1 : this.#counts[topic];
  }
  /** As `count`, by the cluster's name of the topic; 0 for one that is not ours. */
  countOf(name: string): number {
    const topic = OWN_TOPICS.find((own) => this.of(own) === name);
    return topic === undefined ? 0 : this.count(topic);
  }
  /** Throws RangeError where there is no such partition. */
  check(topic: Topic, partition: number): void {
    if (!Number.isInteger(partition) || partition < 0 || partition >= this.count(topic))
      throw new RangeError(`topic ${topic} has no partition ${partition}`);
  }
}
