import { z } from "zod";
import { ulid } from "../../domain/ids.ts";
import type { LogRecord } from "../../domain/log-record.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import { ANSWER_MAX_MS, CLIENT_RETRY, KafkaClient } from "./client.ts";
import { within } from "./deadline.ts";
import { isOutOfRange } from "./failures.ts";
import type { KafkaAccess } from "./options.ts";
import type { Reader } from "./reader.ts";
import { KafkaStartError } from "./start-error.ts";
import { META_TOPIC, type TopicNames } from "./topic-names.ts";

const FORMAT = 1;
const READ_BYTES = 2 ** 16;
const Identity = z.object({ format: z.literal(FORMAT), logId: z.ulid(), partitions: z.int().min(1) });
/** What the log was made with. `partitions`: of topic `readings`. */
export type Identity = z.infer<typeof Identity>;

const readBeginning = async (reader: Reader, name: string): Promise<readonly LogRecord[]> => {
  try {
    return (await reader.fetch({ name, partition: 0, offset: 0 }, READ_BYTES, 0)).records;
  } catch (cause) {
    if (!isOutOfRange(cause)) throw cause;
    throw new KafkaStartError(
      "kafka_log_unreadable",
      `Topic ${name} has lost its first record, and with it the log's id.\n` +
        "Begin a new log under another KAFKA_TOPIC_PREFIX, or put the topic back from a copy.",
      { cause },
    );
  }
};

/** The first record of the meta topic; null while there is none. */
export const readIdentity = async (reader: Reader, name: string): Promise<Identity | null> => {
  const [record] = await readBeginning(reader, name);
  if (record === undefined) return null;
  try {
    return Identity.parse(JSON.parse(Buffer.from(record.value).toString()));
  } catch (cause) {
    throw new KafkaStartError(
      "kafka_log_unreadable",
      `The first record of topic ${name} is not what this version writes there.\n` +
        "Another version or another program uses these topics: choose another KAFKA_TOPIC_PREFIX.",
      { cause },
    );
  }
};

/** Whoever writes first names the log; a second record is never looked at. */
const propose = async (access: KafkaAccess, surroundings: Surroundings, name: string, identity: Identity) => {
  const client = new KafkaClient(access, surroundings.telemetry.log);
  const producer = client.kafka.producer({
    createPartitioner: () => () => 0,
    allowAutoTopicCreation: false,
    retry: CLIENT_RETRY,
  });
  const messages = [{ value: JSON.stringify(identity) }];
  const sent = producer.connect().then(() => producer.send({ topic: name, acks: -1, messages }));
  try {
    await within(surroundings.clock, 2 * ANSWER_MAX_MS, "the log's id", sent);
  } finally {
    await producer.disconnect();
    client.cut();
  }
};

const MOVE =
  "the way to another number is `npm run export` and `npm run import` (deploy/README.md, Moving house)";

/**
 * Throws where the log was made with another number of partitions of `readings` than are asked for, or than there are:
 * what stands in each, and every id made from it, rests on their number.
 */
export const checkPartitions = (identity: Identity, found: number, names: TopicNames): void => {
  const [name, made, wanted] = [names.of("readings"), identity.partitions, names.count("readings")];
  if (found !== made)
    throw new KafkaStartError(
      "kafka_topic_unsuitable",
      `Log ${identity.logId} was made with ${made} partitions of topic ${name}, and somebody has given it ${found}.\n` +
        `${afterRepartition(made)}\nNext time, ${MOVE}.`,
    );
  if (made !== wanted)
    throw new KafkaStartError(
      "kafka_topic_unsuitable",
      `Log ${identity.logId} was made with ${made} partitions of topic ${name}, not ${wanted}.\n` +
        `Start with PARTITIONS=${made} as before; ${MOVE}.`,
    );
};

/** Kafka takes no partition away. */
export const afterRepartition = (made: number): string =>
  "Stop all workers, delete the topics of this prefix, and start with the PARTITIONS that you want " +
  `(${made} before): a new log goes on with what control data knows; what was not done of the old one is lost.`;

/** The log's id and what it was made with; made by the first process that asks. */
export const identify = async (
  access: KafkaAccess,
  surroundings: Surroundings,
  names: TopicNames,
  reader: Reader,
): Promise<Identity> => {
  const name = names.of(META_TOPIC);
  const found = await readIdentity(reader, name);
  if (found !== null) return found;
  const { clock, entropy } = surroundings;
  const logId = ulid(clock.now(), entropy.bytes(10));
  await propose(access, surroundings, name, {
    format: FORMAT,
    logId,
    partitions: names.count("readings"),
  });
  const made = await readIdentity(reader, name);
  if (made === null)
    throw new KafkaStartError("kafka_log_unreadable", `Topic ${name} does not keep its records.`);
  return made;
};
