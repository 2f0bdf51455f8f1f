import { setImmediate as endOfTurn } from "node:timers/promises";
import { type Appended, LogUnavailableError } from "../../ports/event-log.ts";
import type { AppendCall } from "./append-call.ts";
import { AppendQueue } from "./append-queue.ts";
import type { Part } from "./condition.ts";
import { settledWithin } from "./deadline.ts";
import type { LogParts } from "./parts.ts";
import { Sender, type SenderSettings } from "./sender.ts";

/** What waits for its turn is refused once nothing could be written for this long. */
const REFUSED_AFTER_MS = 5_000;
/** Who asks where a partition ends holds up appends for so long at most. */
const HELD_MAX_MS = 2_000;
const CLOSE_MAX_MS = 3_000;

export interface AppenderSettings extends SenderSettings {
  readonly part: Part;
  /** What may wait or be under way. */
  readonly pendingBytesMax: number;
}

/**
 * Puts what waits for Kafka into one request, one request at a time: while one is under way, the next gathers. So the
 * order of calls is kept, and many small ones cost little.
 */
export class Appender {
  readonly #parts: LogParts;
  readonly #queue: AppendQueue;
  readonly #sender: Sender;
  readonly #held = new Set<Promise<unknown>>();
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(settings: AppenderSettings, parts: LogParts) {
    this.#parts = parts;
    this.#queue = new AppendQueue(settings.pendingBytesMax);
    const { condition, metrics } = parts;
    this.#sender = new Sender(settings, {
      access: parts.access,
      clock: parts.clock,
      entropy: parts.entropy,
      telemetry: parts.telemetry,
      ambiguous: metrics.ambiguous,
      worked: () => condition.recovered(settings.part),
      failed: (error, sinceMs) => {
        metrics.unavailable.add(1);
        condition.failed(settings.part, error);
        if (sinceMs >= REFUSED_AFTER_MS) this.#queue.refuse(error);
      },
    });
  }

  /** Bytes that were submitted and are not settled. */
  get pendingBytes(): number {
    return this.#queue.pendingBytes;
  }

  /** So that the first append does not wait for a connection. Rejects with what kafkajs says. */
  connect(): Promise<void> {
    return this.#sender.connect();
  }

  /** Resolves when all records are written; rejects with LogUnavailableError. */
  async append(call: AppendCall): Promise<Appended[]> {
    if (this.#closed) throw new LogUnavailableError("The event log is closed.");
    this.#queue.push(call);
    this.#running ??= this.#run();
    return await call.done;
  }

  /** What is appended from now on goes out after `question` is answered. */
  hold<T>(question: Promise<T>): Promise<T> {
    const { clock } = this.#parts;
    const held: Promise<boolean> = settledWithin(clock, HELD_MAX_MS, [question]).finally(() =>
      this.#held.delete(held),
    );
    this.#held.add(held);
    return question;
  }

  /** Takes nothing more; what has been taken is settled when this resolves. */
  async close(): Promise<void> {
    this.#closed = true;
    const { clock } = this.#parts;
    if (this.#running !== null) await settledWithin(clock, CLOSE_MAX_MS, [this.#running]);
    this.#queue.refuse(new LogUnavailableError("The event log was closed before Kafka answered."));
    await this.#sender.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#queue.empty) {
      // Whoever was just told, and goes on to append, comes into the next request with the rest of this turn.
      await endOfTurn();
      while (this.#held.size > 0) await Promise.all(this.#held);
      await this.#sendNext();
    }
    this.#running = null;
  }

  async #sendNext(): Promise<void> {
    const { names } = this.#parts;
    const batch = this.#queue.take(({ topic }) => names.of(topic));
    if (batch.empty) return;
    try {
      await this.#sender.send(batch);
    } catch (error) {
      batch.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
