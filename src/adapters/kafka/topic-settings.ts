import type { OwnTopic } from "./topic-names.ts";

/** The largest batch of records that a topic takes, with room above the largest block of readings (256 KiB). */
export const BATCH_BYTES_MAX = 2 * 2 ** 20;
/** What brokers and kafkajs add to a batch: keys and headers are counted by us. */
export const BATCH_SPARE_BYTES = 64 * 2 ** 10;
const LIVE_KEPT_MS = 60_000;
const MIB = 2 ** 20;

/** One setting of a topic: what it is made with, and which others will do. */
export interface TopicSetting {
  readonly name: string;
  readonly value: string;
  readonly wanted: string;
  readonly suits: (value: string) => boolean;
}

const exactly = (name: string, value: string): TopicSetting => ({
  name,
  value,
  wanted: value,
  suits: (there) => there === value,
});
const atLeast = (name: string, value: number): TopicSetting => ({
  name,
  value: String(value),
  wanted: `${value} or more`,
  suits: (there) => Number(there) >= value,
});
/** How many replicas must have a record before it is acknowledged: one may be away where there are three or more. */
export const minInSyncReplicas = (replicas: number): number => (replicas >= 3 ? 2 : 1);

/** Made so, and left to the operator's taste after. */
const atFirst = (name: string, value: string): TopicSetting => ({
  name,
  value,
  wanted: "",
  suits: () => true,
});

const EVERY_TOPIC: readonly TopicSetting[] = [
  // One clock orders a partition: the broker's, not each sender's.
  exactly("message.timestamp.type", "LogAppendTime"),
  // A replica that lacks acknowledged records must not lead: readers would be above its end.
  exactly("unclean.leader.election.enable", "false"),
  atLeast("max.message.bytes", BATCH_BYTES_MAX),
  // Whatever other clients compress with, the brokers turn it into this: snappy and lz4 are not read here.
  {
    ...exactly("compression.type", "uncompressed"),
    wanted: "uncompressed or gzip",
    suits: (there) => there === "uncompressed" || there === "gzip",
  },
];
/** The service deletes below its retention floor; Kafka must not, on its own. */
const KEPT: readonly TopicSetting[] = [
  exactly("cleanup.policy", "delete"),
  exactly("retention.ms", "-1"),
  exactly("retention.bytes", "-1"),
  // Deleted records leave the disk with their segment.
  atFirst("segment.bytes", String(128 * MIB)),
];
const LIVE: readonly TopicSetting[] = [
  exactly("cleanup.policy", "delete"),
  {
    ...atLeast("retention.ms", LIVE_KEPT_MS),
    suits: (there) => Number(there) >= LIVE_KEPT_MS || there === "-1",
  },
  atFirst("segment.ms", String(LIVE_KEPT_MS)),
  atFirst("segment.bytes", String(64 * MIB)),
];
const COMPACTED: readonly TopicSetting[] = [
  exactly("cleanup.policy", "compact"),
  atFirst("segment.bytes", String(16 * MIB)),
];

export const settingsOf = (topic: OwnTopic): readonly TopicSetting[] => {
  if (topic === "sources") return [...EVERY_TOPIC, ...COMPACTED];
  return [...EVERY_TOPIC, ...(topic === "live" ? LIVE : KEPT)];
};
