import type { Cluster } from "kafkajs";
import type { LogRecord } from "../../domain/log-record.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import { fetchedPartition } from "./answers.ts";
import { ANSWER_MAX_MS, KafkaClient } from "./client.ts";
import { clusterOf } from "./cluster.ts";
import { within } from "./deadline.ts";
import { fetchAround } from "./fetch.ts";
import type { KafkaAccess } from "./options.ts";
import { toRecord } from "./record.ts";

const READ_COMMITTED = 1;
const CONNECTED_MAX_MS = 10_000;

/** Where to read, by the cluster's name of the topic. */
export interface Place {
  readonly name: string;
  readonly partition: number;
  readonly offset: number;
}
export interface Fetched {
  readonly records: readonly LogRecord[];
  /** Where to go on. */
  readonly next: number;
  /** One past the newest record. */
  readonly end: number;
}

/** Reads partitions from any offset, without a group: one question at a time. */
export class Reader {
  readonly #surroundings: Surroundings;
  readonly #client: KafkaClient;
  readonly #cluster: Cluster;

  private constructor(surroundings: Surroundings, client: KafkaClient) {
    this.#surroundings = surroundings;
    this.#client = client;
    this.#cluster = clusterOf(client.kafka);
  }

  static async connect(access: KafkaAccess, surroundings: Surroundings): Promise<Reader> {
    const reader = new Reader(surroundings, new KafkaClient(access, surroundings.telemetry.log));
    try {
      await within(surroundings.clock, CONNECTED_MAX_MS, "a reader", reader.#cluster.connect());
      return reader;
    } catch (error) {
      reader.discard();
      throw error;
    }
  }

  /** Records from a place on: about `maxBytes`, one at least if there is any; waits for it up to `waitMs`. */
  async fetch({ name, partition, offset }: Place, maxBytes: number, waitMs: number): Promise<Fetched> {
    await this.#cluster.addMultipleTargetTopics([name]);
    await this.#cluster.refreshMetadataIfNecessary();
    const [leader = ""] = Object.keys(this.#cluster.findLeaderForPartitions(name, [partition]));
    const broker = await this.#cluster.findBroker({ nodeId: leader });
    const request = {
      maxWaitTime: waitMs,
      minBytes: 1,
      maxBytes,
      isolationLevel: READ_COMMITTED,
      topics: [{ topic: name, partitions: [{ partition, fetchOffset: String(offset), maxBytes }] }],
    };
    const asked = fetchAround(broker, request, this.#surroundings.telemetry);
    const late = waitMs + 2 * ANSWER_MAX_MS;
    const { highWatermark, messages } = fetchedPartition(
      await within(this.#surroundings.clock, late, "records", asked),
    );
    // A batch is sent whole, also where it begins before what was asked for.
    const wanted = messages.filter((message) => Number(message.offset) >= offset);
    const records = wanted.filter(({ isControlRecord }) => !isControlRecord);
    return {
      records: records.map((message) => toRecord(partition, message)),
      next: Number(wanted.at(-1)?.offset ?? offset - 1) + 1,
      end: Number(highWatermark),
    };
  }

  async close(): Promise<void> {
    await this.#cluster.disconnect();
    this.discard();
  }

  discard(): void {
    this.#client.cut();
  }
}
