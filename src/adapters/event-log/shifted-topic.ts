import type { LogRecord } from "../../domain/log-record.ts";
import type {
  Appended,
  Assignment,
  ConsumeOptions,
  EventLog,
  PartitionConsumer,
  TailOptions,
  Topic,
} from "../../ports/event-log.ts";

type ByOffset = { readonly offset: number };
const moved = <T extends ByOffset>(items: readonly T[], by: number): T[] =>
  items.map((item) => ({ ...item, offset: item.offset + by }));

/** What a consumer sees of an assignment, and what the log sees of the consumer. */
const shiftedConsume = (options: ConsumeOptions, by: number): ConsumeOptions => ({
  ...options,
  assigned: async (assignment): Promise<PartitionConsumer> => {
    const shown: Assignment = {
      topic: assignment.topic,
      partition: assignment.partition,
      committed: assignment.committed === null ? null : assignment.committed + by,
      earliest: assignment.earliest + by,
      end: assignment.end + by,
      signal: assignment.signal,
      isHeld: () => assignment.isHeld(),
      commit: (next) => assignment.commit(Math.max(0, next - by)),
      fail: (reason) => assignment.fail(reason),
    };
    const consumer = await options.assigned(shown);
    return {
      startAt: Math.max(0, consumer.startAt - by),
      records: (batch: readonly LogRecord[]) => consumer.records(moved(batch, by)),
      revoked: () => consumer.revoked(),
    };
  },
});

async function* shiftedTail(log: EventLog, topic: Topic, options: TailOptions, by: number) {
  const from = options.from === "end" ? options.from : Math.max(0, options.from - by);
  for await (const batch of log.tail(topic, { ...options, from })) yield moved(batch, by);
}

/**
 * `log` with the offsets of one topic counted from `by` instead of 0: what a log that follows another one needs where
 * offsets are an order for ever, as those of `events` are. What it says of itself is the log's own.
 */
export const withShiftedTopic = (log: EventLog, shifted: Topic, by: number): EventLog => {
  if (by === 0) return log;
  const shift = (topic: Topic): number => (topic === shifted ? by : 0);
  return {
    logId: log.logId,
    partitions: (topic) => log.partitions(topic),
    append: async (topic, records, options): Promise<Appended[]> =>
      moved(await log.append(topic, records, options), shift(topic)),
    consume: (options) => log.consume(options.topic === shifted ? shiftedConsume(options, by) : options),
    tail: (topic, options) =>
      topic === shifted ? shiftedTail(log, topic, options, by) : log.tail(topic, options),
    bounds: async (topic) =>
      (await log.bounds(topic)).map(({ partition, earliest, end }) => ({
        partition,
        earliest: earliest + shift(topic),
        end: end + shift(topic),
      })),
    committed: async (group, topic) =>
      new Map([...(await log.committed(group, topic))].map(([key, next]) => [key, next + shift(topic)])),
    members: (group) => log.members(group),
    trim: (topic, partition, before) => log.trim(topic, partition, Math.max(0, before - shift(topic))),
    hasRoom: () => log.hasRoom(),
    whenRoom: (signal) => log.whenRoom(signal),
    health: () => log.health(),
    close: () => log.close(),
  };
};
