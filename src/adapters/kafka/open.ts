import type { EventLog, PartitionBounds, Topic } from "../../ports/event-log.ts";
import { countBrokers } from "./brokers.ts";
import { Condition } from "./condition.ts";
import { Continuity, LASTING } from "./continuity.ts";
import { Ends } from "./ends.ts";
import { SizeEstimate } from "./estimate.ts";
import { isOutOfRange } from "./failures.ts";
import { checkPartitions, identify, readIdentity } from "./identity.ts";
import { Inquiry } from "./inquiry.ts";
import { KafkaEventLog } from "./kafka-event-log.ts";
import { logMetrics } from "./metrics.ts";
import { LogOffsets } from "./offsets.ts";
import type { KafkaLogOptions } from "./options.ts";
import type { LogParts } from "./parts.ts";
import { Readers } from "./readers.ts";
import { sizeOf } from "./record.ts";
import { KafkaStartError } from "./start-error.ts";
import { startFailure } from "./start-failures.ts";
import { META_TOPIC, partitionCounts, TopicNames } from "./topic-names.ts";
import { checkTopics, ensureTopics, onceLed } from "./topics.ts";

/** How much is read of a partition's beginning and of its end, to know how large its records are. */
const SAMPLE_BYTES = 2 ** 19;
const SAMPLE_RECORDS = 100;

const partsOf = (options: KafkaLogOptions, inquiry: Inquiry): LogParts => {
  const { clock, entropy, telemetry } = options;
  const surroundings = { clock, entropy, telemetry };
  const names = new TopicNames(options.topicPrefix, partitionCounts(options.partitions));
  const shared = {
    names,
    offsets: new LogOffsets(inquiry, names),
    readers: new Readers(options, surroundings),
    condition: new Condition(telemetry.log),
    ends: new Ends(),
  };
  const metrics = logMetrics(telemetry.metrics);
  return {
    ...surroundings,
    ...shared,
    access: options,
    continuity: new Continuity({ ...shared, log: telemetry.log, skipped: metrics.skipped }),
    estimate: new SizeEstimate(),
    metrics,
  };
};

const sampleAt = async (
  { readers, names, estimate }: LogParts,
  topic: Topic,
  { partition }: PartitionBounds,
  offset: number,
): Promise<void> => {
  const reader = await readers.take();
  try {
    const { records } = await reader.fetch({ name: names.of(topic), partition, offset }, SAMPLE_BYTES, 0);
    const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0);
    estimate.seen(topic, bytes, records.length);
    readers.giveBack(reader);
  } catch (error) {
    readers.discard(reader);
    // Deleted since its bounds were asked for, as others trim meanwhile: one sample less.
    if (!isOutOfRange(error)) throw error;
  }
};

/** Of records that other processes have written, nothing is known at first. */
const sample = async (
  parts: LogParts,
  bounds: ReadonlyMap<Topic, readonly PartitionBounds[]>,
): Promise<void> => {
  for (const [topic, all] of bounds) {
    // The partitions of a topic are alike.
    const [first] = all.filter(({ earliest, end }) => end > earliest);
    if (first === undefined) continue;
    const { earliest, end } = first;
    for (const offset of new Set([earliest, Math.max(earliest, end - SAMPLE_RECORDS)]))
      await sampleAt(parts, topic, first, offset);
  }
};

const assemble = async (options: KafkaLogOptions, inquiry: Inquiry): Promise<EventLog> => {
  const parts = partsOf(options, inquiry);
  const { readers, names } = parts;
  let log: KafkaEventLog | null = null;
  try {
    const { brokers, topics } = await onceLed(options.clock, async () => {
      const counted = await countBrokers(inquiry);
      return { brokers: counted, topics: await ensureTopics(inquiry, names, options, counted) };
    });
    const reader = await readers.take();
    const made = await readIdentity(reader, names.of(META_TOPIC));
    const readings = topics.find(({ topic }) => topic === "readings");
    if (made !== null) checkPartitions(made, readings?.partitions.length ?? 0, names);
    checkTopics(topics, names, options, brokers);
    const { logId } = await identify(options, parts, names, reader);
    readers.giveBack(reader);
    const bounds = await parts.offsets.allBounds(LASTING);
    await sample(parts, bounds);
    // Of a log that nothing was ever appended to, groups know nothing either.
    if ([...bounds.values()].flat().some(({ end }) => end > 0)) await parts.continuity.learn();
    log = new KafkaEventLog(logId, parts, inquiry, options.maxBytes);
    await log.start();
    return log;
  } catch (error) {
    await log?.close();
    await readers.close();
    const loss = parts.condition.refusalOf("readings");
    if (loss !== null) throw new KafkaStartError("kafka_log_shortened", loss.message, { cause: error });
    throw error;
  }
};

/**
 * The event log on Kafka 3.7 or newer. Topics `<prefix>readings|events|live|sources|dead-letters|meta` are made where
 * they are missing, and checked where they are not. How much the log holds is estimated from the number of records and
 * their mean size, as this process has seen it. Append times are the brokers' clocks: they may fall within a partition
 * when its leader changes or its clock is set back.
 * Throws KafkaStartError, with what to do about it: brokers that cannot be reached or refuse this client, topics that
 * are set otherwise, another number of partitions than the log was made with, records that the brokers have lost.
 */
export const openKafkaLog = async (options: KafkaLogOptions): Promise<EventLog> => {
  const { clock, entropy, telemetry } = options;
  const inquiry = new Inquiry(options, { clock, entropy, telemetry });
  try {
    return await assemble(options, inquiry);
  } catch (error) {
    await inquiry.close();
    throw startFailure(options, error);
  }
};
