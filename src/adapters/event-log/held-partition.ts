import { ENGINE, fullJitterMs } from "../../domain/backoff.ts";
import type { Assignment, ConsumeOptions, PartitionConsumer } from "../../ports/event-log.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import type { Counter } from "../../ports/telemetry.ts";

/** A partition that went well for this long is tried again soon when it fails next. */
const HEALTHY_AFTER_MS = 30_000;

/** What an engine says of one partition that a member holds. */
export interface Holding {
  readonly partition: number;
  /** The partition as it is now; `signal` and `fail` are to be the assignment's. */
  assignment(signal: AbortSignal, fail: (reason: unknown) => void): Assignment | Promise<Assignment>;
  /** Gives records to the consumer until the signal aborts; calls `well` whenever nothing is left or a batch is done. */
  deliver(consumer: PartitionConsumer, signal: AbortSignal, well: () => void): Promise<void>;
}

/** One partition in the hands of a member: assigned, and anew with back-off after each failure (see `EventLog.consume`). */
export class HeldPartition {
  readonly #surroundings: Surroundings;
  readonly #options: ConsumeOptions;
  readonly #holding: Holding;
  readonly #failures: Counter;
  #trouble: string | null = null;

  constructor(surroundings: Surroundings, options: ConsumeOptions, holding: Holding) {
    this.#surroundings = surroundings;
    this.#options = options;
    this.#holding = holding;
    this.#failures = surroundings.telemetry.metrics.counter(
      "log_consumer_failed_total",
      "Partitions let go of because their consumer failed; tried again.",
      ["group", "topic"],
    );
  }

  /** Why the partition is not consumed now; null while it is. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Resolves when `stopping` has aborted and the consumer let go of everything; never rejects. */
  async hold(stopping: AbortSignal): Promise<void> {
    const { clock, entropy } = this.#surroundings;
    for (let attempt = 0; !stopping.aborted; attempt++) {
      const heldMs = await this.#assignOnce(stopping);
      if (heldMs >= HEALTHY_AFTER_MS) attempt = 0;
      const ms = fullJitterMs(ENGINE, attempt, entropy.random());
      await clock.sleep(ms, stopping).catch(() => undefined);
    }
  }

  /** From an assignment to its failure or the member's stop; gives how long it went well. */
  async #assignOnce(stopping: AbortSignal): Promise<number> {
    const { clock } = this.#surroundings;
    const failed = new AbortController();
    const signal = AbortSignal.any([stopping, failed.signal]);
    let assignedAtMs = Number.POSITIVE_INFINITY;
    let heldMs = 0;
    const fail = (error: unknown) => {
      if (signal.aborted && error === signal.reason) return;
      if (!signal.aborted) heldMs = clock.monotonic() - assignedAtMs;
      this.#tell(error);
      failed.abort(error);
    };
    try {
      const assignment = await this.#holding.assignment(signal, (reason) => {
        // What fails in the background because it is let go is no news.
        if (!signal.aborted) fail(reason);
      });
      const consumer = await this.#options.assigned(assignment);
      assignedAtMs = clock.monotonic();
      await this.#holding.deliver(consumer, signal, () => this.#well(signal)).catch(fail);
      await consumer.revoked();
    } catch (error) {
      fail(error);
    }
    return heldMs;
  }

  /** A batch that was done after all does not hide why its consumer is let go. */
  #well(signal: AbortSignal): void {
    if (!signal.aborted) this.#trouble = null;
  }

  #tell(error: unknown): void {
    const { group, topic } = this.#options;
    const { partition } = this.#holding;
    this.#failures.add(1, { group, topic });
    this.#surroundings.telemetry.log.error({ err: error, group, topic, partition }, "log_consumer_failed");
    const reason = error instanceof Error ? error.message : String(error);
    this.#trouble = `partition ${partition} of ${topic} failed and is tried again: ${reason}`;
  }
}

/** What `GroupMember.trouble` says of all partitions. */
export const troubleOf = (held: readonly HeldPartition[]): string | null => {
  const troubles = held.flatMap(({ trouble }) => (trouble === null ? [] : [trouble]));
  const [first, ...others] = troubles;
  if (first === undefined) return null;
  return others.length === 0 ? first : `${first} (and ${others.length} other partitions)`;
};
