import { setImmediate as endOfTurn } from "node:timers/promises";
import { ENGINE, fullJitterMs } from "../../domain/backoff.ts";
import type { LogRecord } from "../../domain/log-record.ts";
import type { Topic } from "../../ports/event-log.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import { BATCH_BYTES, DEFAULT_LIMITS } from "../event-log/read-limits.ts";
import type { Condition } from "./condition.ts";
import type { Continuity } from "./continuity.ts";
import { isOutOfRange } from "./failures.ts";
import type { Fetched, Reader } from "./reader.ts";
import type { Readers } from "./readers.ts";
import { slices } from "./slices.ts";

/** How long one question waits for records at the end of a partition. */
const WAIT_MS = 500;

export interface TailParts extends Surroundings {
  readonly readers: Readers;
  readonly condition: Condition;
  readonly continuity: Continuity;
}
export interface TailedPartition {
  readonly topic: Topic;
  /** The topic's, on the cluster. */
  readonly name: string;
  readonly partition: number;
}

/** Settles as `task` does, or resolves with null as soon as the signal aborts. */
const unlessAborted = async <T>(task: Promise<T>, signal: AbortSignal): Promise<T | null> => {
  const aborted = Promise.withResolvers<null>();
  const abort = () => aborted.resolve(null);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([aborted.promise, task]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
};

/** Reads one partition for one tail, through whatever happens to the brokers. */
class Tailing {
  readonly #parts: TailParts;
  readonly #of: TailedPartition;
  readonly #signal: AbortSignal;
  #next: number;
  #reader: Reader | null = null;
  #failures = 0;

  constructor(parts: TailParts, of: TailedPartition, from: number, signal: AbortSignal) {
    this.#parts = parts;
    this.#of = of;
    this.#next = from;
    this.#signal = signal;
  }

  /** The next records, none where none came for a while; null when the signal has aborted. Throws where the log is refused. */
  async next(): Promise<readonly LogRecord[] | null> {
    this.#parts.condition.throwIfRefused(this.#of.topic);
    try {
      const fetched = await this.#fetch();
      if (fetched === null) return null;
      this.#failures = 0;
      this.#next = fetched.next;
      return fetched.records;
    } catch (error) {
      await this.#failed(error);
      return this.#signal.aborted ? null : [];
    }
  }

  end(): void {
    if (this.#reader !== null) this.#parts.readers.giveBack(this.#reader);
    this.#reader = null;
  }

  async #fetch(): Promise<Fetched | null> {
    const reader = await this.#connected();
    if (reader === null) return null;
    const { name, partition } = this.#of;
    const place = { name, partition, offset: this.#next };
    const fetched = await unlessAborted(reader.fetch(place, BATCH_BYTES, WAIT_MS), this.#signal);
    if (fetched === null) this.#drop();
    return fetched;
  }

  async #connected(): Promise<Reader | null> {
    if (this.#reader !== null) return this.#reader;
    const { readers } = this.#parts;
    const taking = readers.take().then((reader) => {
      if (this.#signal.aborted) readers.giveBack(reader);
      return reader;
    });
    this.#reader = await unlessAborted(taking, this.#signal);
    return this.#reader;
  }

  async #failed(error: unknown): Promise<void> {
    const { clock, entropy, continuity, telemetry } = this.#parts;
    const { topic, partition } = this.#of;
    this.#drop();
    telemetry.log.debug({ topic, partition, err: error }, "log_tail_retried");
    if (isOutOfRange(error))
      this.#next = await continuity.placeFor(topic, partition, this.#next).catch(() => this.#next);
    const waitMs = fullJitterMs(ENGINE, this.#failures++, entropy.random());
    await clock.sleep(waitMs, this.#signal).catch(() => undefined);
  }

  #drop(): void {
    if (this.#reader !== null) this.#parts.readers.discard(this.#reader);
    this.#reader = null;
  }
}

/** Batches of a partition from `from` on, until the signal aborts. */
export async function* tailOf(
  parts: TailParts,
  of: TailedPartition,
  from: Promise<number>,
  signal: AbortSignal,
): AsyncGenerator<readonly LogRecord[]> {
  const start = await unlessAborted(from, signal);
  if (start === null) return;
  const tailing = new Tailing(parts, of, start, signal);
  try {
    for (let records = await tailing.next(); records !== null; records = await tailing.next()) {
      for (const batch of slices(records, DEFAULT_LIMITS)) {
        if (signal.aborted) return;
        yield batch;
        await endOfTurn();
      }
    }
  } finally {
    tailing.end();
  }
}
