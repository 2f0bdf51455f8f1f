import type { Producer } from "kafkajs";
import { ENGINE, fullJitterMs } from "../../domain/backoff.ts";
import { LogUnavailableError } from "../../ports/event-log.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import type { Counter } from "../../ports/telemetry.ts";
import { ANSWER_MAX_MS, KafkaClient } from "./client.ts";
import { compressionFor } from "./compression.ts";
import { settledWithin, within } from "./deadline.ts";
import { isOutOfStep, isRefused, unavailable } from "./failures.ts";
import { Leaders, LeadersDifferError } from "./leaders.ts";
import type { KafkaAccess } from "./options.ts";
import type { SendBatch, Share } from "./send-batch.ts";

const CONNECTED_MAX_MS = 10_000;
/** Long enough for kafkajs to notice that its connections were cut. */
const CUT_MAX_MS = 2_000;
const CLOSE_MAX_MS = 1_000;
/** kafkajs refuses an idempotent producer that may not try again at all. */
const RETRY = { retries: 1, initialRetryTime: 50, maxRetryTime: 200 };

export interface SenderSettings {
  /** Durable and in order, or newest values that one broker has. */
  readonly durable: boolean;
  /** A try that is not answered by then is cut off. */
  readonly answeredMaxMs: number;
  /** For how long a batch is tried; then those who wait for it are told. */
  readonly patienceMs: number;
}
export interface SenderParts extends Surroundings {
  readonly access: KafkaAccess;
  readonly ambiguous: Counter;
  /** Told of each try that failed, and for how long none has worked. */
  readonly failed: (error: LogUnavailableError, sinceMs: number) => void;
  readonly worked: () => void;
}

/**
 * Writes batches to Kafka, one at a time. A batch whose answer did not come is written again by the same producer, so
 * that the brokers know what they have already. That rests on its counts of records, which are used again for the very
 * same records only: whenever a batch is given up, so is the producer.
 *
 * kafkajs counts records as written when their broker has answered, but gives no answers at all where one of several
 * brokers failed in the end. So each of our calls is for one broker, and one topic, as `Leaders` sees to: it is answered
 * for all its records, which are then not sent again, or none of them is counted.
 */
export class Sender {
  readonly #settings: SenderSettings;
  readonly #parts: SenderParts;
  readonly #closing = new AbortController();
  readonly #leaders = new Leaders();
  #client: KafkaClient | null = null;
  #producer: Promise<Producer> | null = null;
  #failingSinceMs: number | null = null;

  constructor(settings: SenderSettings, parts: SenderParts) {
    this.#settings = settings;
    this.#parts = parts;
  }

  /** Resolves when all is written; rejects with LogUnavailableError, and then some of it may be. */
  async send(batch: SendBatch): Promise<void> {
    const { clock, entropy } = this.#parts;
    const giveUpAtMs = clock.monotonic() + this.#settings.patienceMs;
    for (let attempt = 0; ; attempt++) {
      const failure = await this.#try(batch);
      if (failure === null) return;
      const refused = isRefused(failure);
      if (refused || this.#closing.signal.aborted || clock.monotonic() >= giveUpAtMs) {
        // Beside what was refused, other partitions of the batch may be written.
        this.#renew(batch.sent && (!refused || batch.partitions > 1));
        throw failure;
      }
      if (isOutOfStep(failure)) this.#renew(true);
      const waitMs = fullJitterMs(ENGINE, attempt, entropy.random());
      await clock.sleep(waitMs, this.#closing.signal).catch(() => undefined);
    }
  }

  /** Connects before there is anything to write; rejects with what kafkajs says. */
  async connect(): Promise<void> {
    await this.#connected();
  }

  /** What is under way is tried no more. */
  async close(): Promise<void> {
    this.#closing.abort(new LogUnavailableError("The event log is closed."));
    const ending = this.#producer?.then((producer) => producer.disconnect());
    if (ending !== undefined) await settledWithin(this.#parts.clock, CLOSE_MAX_MS, [ending]);
    this.#client?.cut();
  }

  async #try(batch: SendBatch): Promise<LogUnavailableError | null> {
    try {
      await this.#sendByLeaders(batch);
      // kafkajs leaves out a partition that the brokers tell nothing of (findLeaderForPartitions in cluster/index.js).
      if (!batch.done) throw new LogUnavailableError("Kafka has acknowledged a part of the records only.");
      this.#failingSinceMs = null;
      this.#parts.worked();
      return null;
    } catch (error) {
      const failure = unavailable(error);
      const now = this.#parts.clock.monotonic();
      this.#failingSinceMs ??= now;
      this.#parts.failed(failure, now - this.#failingSinceMs);
      return failure;
    }
  }

  /** Leaders become known by a first call to all, and so does that one of them moved: then it goes out anew at once. */
  async #sendByLeaders(batch: SendBatch): Promise<void> {
    try {
      await this.#sendOnce(batch);
    } catch (error) {
      if (!(error instanceof LeadersDifferError)) throw error;
      await this.#sendOnce(batch);
    }
  }

  /** Rejects with the first failure when nothing is under way any more: what was answered is acknowledged by then. */
  async #sendOnce(batch: SendBatch): Promise<void> {
    const { clock } = this.#parts;
    const producer = await this.#connected();
    batch.sent = true;
    const shares = batch.shares((topic, partition) => this.#leaders.of(topic, partition));
    this.#leaders.expect(shares.map(({ messages }) => messages));
    const calls = shares.map((share) => this.#write(producer, batch, share));
    if (!(await settledWithin(clock, this.#settings.answeredMaxMs, calls))) await this.#wake(calls);
    await Promise.all(calls);
  }

  async #write(producer: Producer, batch: SendBatch, share: Share): Promise<void> {
    const { topic, messages, bytes, partitions } = share;
    const places = await producer.sendBatch({
      acks: this.#settings.durable ? -1 : 1,
      compression: compressionFor(bytes, partitions),
      timeout: ANSWER_MAX_MS,
      topicMessages: [{ topic, messages: [...messages] }],
    });
    for (const place of places) batch.acknowledge(place);
  }

  /** Cut off from a machine that vanished, the producer can go on by another connection. */
  async #wake(calls: readonly Promise<unknown>[]): Promise<void> {
    const { clock } = this.#parts;
    this.#client?.cut();
    if (await settledWithin(clock, CUT_MAX_MS, calls)) {
      this.#client?.mend();
      return;
    }
    this.#renew(true);
    throw new LogUnavailableError(`Kafka has not answered for ${this.#settings.answeredMaxMs / 1_000} s.`);
  }

  async #connected(): Promise<Producer> {
    if (this.#producer !== null) return await this.#producer;
    const { access, clock, telemetry } = this.#parts;
    const client = new KafkaClient(access, telemetry.log);
    const producer = client.kafka.producer({
      idempotent: this.#settings.durable,
      maxInFlightRequests: 1,
      createPartitioner: this.#leaders.partitioner,
      allowAutoTopicCreation: false,
      retry: RETRY,
    });
    this.#client = client;
    this.#producer = within(clock, CONNECTED_MAX_MS, "a producer", producer.connect()).then(() => producer);
    try {
      return await this.#producer;
    } catch (error) {
      // Nothing was sent by it.
      this.#renew(false);
      throw error;
    }
  }

  /** The next try is by another producer; `ambiguous`: what this one has sent may have been written. */
  #renew(ambiguous: boolean): void {
    if (ambiguous && this.#settings.durable) this.#parts.ambiguous.add(1);
    this.#client?.cut();
    this.#client = null;
    this.#producer = null;
  }
}
