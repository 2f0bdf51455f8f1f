import { LogUnavailableError } from "../../ports/event-log.ts";
import type { Capacity } from "../event-log/capacity.ts";
import { LASTING } from "./continuity.ts";
import { unavailable } from "./failures.ts";
import { afterRepartition, readIdentity } from "./identity.ts";
import type { LogParts } from "./parts.ts";
import { META_TOPIC } from "./topic-names.ts";

const LOOK_EVERY_MS = 1_000;
/** Whether it is still the same log, with as many partitions, is asked at each of so many looks. */
const KNOWN_EVERY_LOOKS = 10;

/** Looks at the cluster once a second: how much the log holds, where it ends, whether it is still laid out as it was. */
export class Watch {
  readonly #parts: LogParts;
  readonly #capacity: Capacity;
  readonly #logId: string;
  readonly #cancel: () => void;
  #looks = 0;
  #running: Promise<void> | null = null;
  #measuring: Promise<void> | null = null;

  constructor(parts: LogParts, capacity: Capacity, logId: string) {
    this.#parts = parts;
    this.#capacity = capacity;
    this.#logId = logId;
    this.#cancel = parts.clock.every(LOOK_EVERY_MS, () => {
      this.#running ??= this.#look().finally(() => {
        this.#running = null;
      });
    });
  }

  /** Measures how much the log holds; rejects with LogUnavailableError. */
  async measure(): Promise<void> {
    // Two at once could set what the older one found.
    while (this.#measuring !== null) await this.#measuring.catch(() => undefined);
    this.#measuring = this.#measure().finally(() => {
      this.#measuring = null;
    });
    await this.#measuring;
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#running;
  }

  async #look(): Promise<void> {
    const { condition } = this.#parts;
    try {
      await this.measure();
      if (this.#looks++ % KNOWN_EVERY_LOOKS === 0) {
        await this.#count();
        await this.#recognise();
      }
      condition.recovered("ask");
    } catch (error) {
      condition.failed("ask", unavailable(error));
    }
  }

  async #measure(): Promise<void> {
    const { offsets, ends, estimate, metrics, continuity } = this.#parts;
    const before = continuity.known(LASTING);
    // What counts against LOG_MAX_BYTES: not what Kafka itself deletes after a minute.
    const bounds = await offsets.allBounds(LASTING);
    await continuity.compare(before, bounds);
    for (const [topic, each] of bounds)
      for (const { partition, end } of each) ends.raise(topic, partition, end);
    this.#capacity.measured(estimate.total(bounds));
    metrics.bytes.set(this.#capacity.storedBytes);
  }

  /** A signal's partition rests on how many there are: with another number, its readings would go to another evaluator. */
  async #count(): Promise<void> {
    const { offsets, names, condition } = this.#parts;
    const found = await offsets.countPartitions("readings");
    const made = names.count("readings");
    if (found !== made) condition.refuse(repartitioned(names.of("readings"), made, found), ["readings"]);
  }

  /** What is known under this log's id is not true of another log in its place. */
  async #recognise(): Promise<void> {
    const { readers, names, condition } = this.#parts;
    const name = names.of(META_TOPIC);
    const reader = await readers.take();
    const found = await readIdentity(reader, name).finally(() => readers.giveBack(reader));
    if (found?.logId !== this.#logId)
      condition.refuse(replaced(name, this.#logId, found?.logId ?? "none"), LASTING);
  }
}

const replaced = (name: string, logId: string, found: string): LogUnavailableError =>
  new LogUnavailableError(
    `Topic ${name} names log ${found} now, and this process was started on log ${logId}: the topics were made anew. ` +
      "Nothing is taken or consumed here any more. Start all workers anew.",
  );

export const repartitioned = (name: string, made: number, found: number): LogUnavailableError =>
  new LogUnavailableError(
    `Topic ${name} was made with ${made} partitions and has ${found} now: readings are neither taken nor evaluated, ` +
      `as they would go astray. ${afterRepartition(made)}`,
  );
