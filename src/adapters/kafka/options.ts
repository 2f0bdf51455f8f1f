import type { Topic } from "../../ports/event-log.ts";
import type { Surroundings } from "../../ports/surroundings.ts";

export interface KafkaSasl {
  readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512";
  readonly username: string;
  readonly password: string;
}

/** PEM texts. Without `ca` the system's authorities are trusted; `cert` and `key` where the brokers ask for them. */
export interface KafkaTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** How to come to the brokers. */
export interface KafkaAccess {
  /** `host:port` of some brokers; the others are found through them. */
  readonly brokers: readonly string[];
  readonly sasl?: KafkaSasl;
  readonly tls?: KafkaTls;
}

export interface KafkaLogOptions extends KafkaAccess, Surroundings {
  /** Before the name of every topic and group: two installations may share a cluster. */
  readonly topicPrefix: string;
  /**
   * One where a topic is not named, but for `sources`: as many as `readings`, as workers share both. The number of
   * `readings` is fixed when the log is made.
   */
  readonly partitions: Partial<Record<Topic, number>>;
  /** LOG_MAX_BYTES: how much the records may use, counted once and not per replica, before bounded appends are refused. */
  readonly maxBytes: number;
  /** Of topics that are made, and at least of those that are there; by default 3, or as many as there are brokers. */
  readonly replicationFactor?: number;
  /** Of topics that are made, and at least of those that are there; by default 2 of three replicas or more, else 1. */
  readonly minInSyncReplicas?: number;
}
