import { AssignerProtocol, Kafka, logLevel } from "kafkajs";
import { mendRequestQueue } from "../../src/adapters/kafka/request-queue.ts";
import { GROUPS, type Topic } from "../../src/ports/event-log.ts";
import type { Stack } from "./stack.ts";

mendRequestQueue();

type Group = keyof typeof GROUPS;

/** How many processes there are of each role that shares partitions. */
export type Shares = Readonly<Record<Group, number>>;

/** What each group reads, a member for each topic. */
const TOPICS: Readonly<Record<Group, readonly Topic[]>> = {
  ingest: ["sources"],
  evaluate: ["readings"],
  record: ["readings", "events"],
  deliver: ["events"],
};
const GROUP_NAMES: readonly Group[] = ["ingest", "evaluate", "record", "deliver"];

/** Looks into the groups of the workers, as an operator would. */
export class Groups {
  readonly #admin;
  readonly #prefix: string;
  readonly #partitions: number;

  constructor({ kafka, topicPrefix }: Stack, partitions: number) {
    const brokers = [`127.0.0.1:${kafka.ports.plain}`];
    this.#admin = new Kafka({ brokers, clientId: "test-groups", logLevel: logLevel.NOTHING }).admin();
    this.#prefix = topicPrefix;
    this.#partitions = partitions;
  }

  async describe(group: Group) {
    const { groups } = await this.#admin.describeGroups([`${this.#prefix}${GROUPS[group]}`]);
    const [found] = groups;
    if (found === undefined) throw new Error(`no group ${group}`);
    const shared = found.members.map(({ memberAssignment }) => {
      const { assignment = {} } = AssignerProtocol.MemberAssignment.decode(memberAssignment) ?? {};
      return Object.values(assignment).flat().length;
    });
    return { state: found.state, members: found.members.length, shared: shared.reduce((a, b) => a + b, 0) };
  }

  /** Whether every partition has its reader, and everybody who lives has its share. */
  async areAssigned(shares: Shares): Promise<boolean> {
    for (const group of GROUP_NAMES) {
      const { state, members, shared } = await this.describe(group);
      const topics = TOPICS[group];
      const wanted = topics.reduce((sum, topic) => sum + (topic === "events" ? 1 : this.#partitions), 0);
      if (state !== "Stable" || members !== shares[group] * topics.length || shared !== wanted) return false;
    }
    return true;
  }

  /** Where each partition of readings ends. */
  async ends(): Promise<ReadonlyMap<number, number>> {
    const offsets = await this.#admin.fetchTopicOffsets(`${this.#prefix}readings`);
    return new Map(offsets.map(({ partition, high }) => [partition, Number(high)]));
  }

  /** Whether both who read them have committed everything before `ends`. */
  async areBehind(ends: ReadonlyMap<number, number>): Promise<boolean> {
    for (const group of [GROUPS.evaluate, GROUPS.record]) {
      const groupId = `${this.#prefix}${group}`;
      const [readings] = await this.#admin.fetchOffsets({ groupId, topics: [`${this.#prefix}readings`] });
      const done = new Map(readings?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
      for (const [partition, end] of ends) if ((done.get(partition) ?? -1) < end) return false;
    }
    return true;
  }

  close(): Promise<void> {
    return this.#admin.disconnect();
  }
}
