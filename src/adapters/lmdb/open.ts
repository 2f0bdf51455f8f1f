import { ulid } from "../../domain/ids.ts";
import type { EventLog, Topic } from "../../ports/event-log.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import { diskFreeBytes } from "./disk-space.ts";
import { Facts, partitionCounts } from "./facts.ts";
import { LmdbEventLog } from "./lmdb-event-log.ts";
import { openStore, type Store } from "./store.ts";
import { Topics } from "./topics.ts";

export interface LmdbLogOptions extends Surroundings {
  /** Made if it is not there. One process at a time: the lock of the data directory sees to that. */
  readonly directory: string;
  /** One where a topic is not named. Fixed when the log is made. */
  readonly partitions: Partial<Record<Topic, number>>;
  /** LOG_MAX_BYTES: how much the records may use before bounded appends are refused. */
  readonly maxBytes: number;
  /** Bytes that the disk has left; by default the file system of `directory` is asked. */
  readonly freeBytes?: () => number;
}

const assemble = (store: Store, options: LmdbLogOptions): EventLog => {
  const { directory, maxBytes, clock, entropy, telemetry } = options;
  const counts = partitionCounts(options.partitions);
  const facts = new Facts(store);
  const logId = facts.logId ?? ulid(clock.now(), entropy.bytes(10));
  if (facts.logId === undefined) store.atOnce(() => facts.create(logId, counts));
  facts.check(counts, directory);
  const topics = new Topics(store, facts, counts, clock);
  const freeBytes = options.freeBytes ?? (() => diskFreeBytes(directory));
  return new LmdbEventLog({ logId, store, facts, topics, maxBytes, freeBytes, clock, entropy, telemetry });
};

/**
 * The event log embedded in the process, on LMDB. A group has one member, which owns every partition. Topic `live` is
 * in memory: after a restart it is empty and its offsets start again from 0.
 * Throws LogLayoutError when the log was made with other partition counts; its data stay as they are.
 */
export const openLmdbLog = async (options: LmdbLogOptions): Promise<EventLog> => {
  const store = await openStore(options.directory, options.maxBytes);
  try {
    return assemble(store, options);
  } catch (error) {
    await store.close();
    throw error;
  }
};
