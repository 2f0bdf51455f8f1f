import { ENGINE, fullJitterMs } from "../domain/backoff.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import { type EventLog, LogFullError, LogUnavailableError } from "../ports/event-log.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { BackPressure, PressureReason } from "./back-pressure.ts";
import type { BlockWriter } from "./block-writer.ts";
import { ClockSkew } from "./clock-skew.ts";
import type { IngestMetrics } from "./metrics.ts";
import type { SealedRecord } from "./open-block.ts";

/** One append carries about this much: more would only make its answer later. */
export const APPEND_BYTES_MAX = 4 * 1024 * 1024;

export interface BlockAppenderOptions {
  readonly log: EventLog;
  readonly writer: BlockWriter;
  readonly pressure: BackPressure;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
}

/** The record is durable: counts it, and tells those whose readings are in it. */
export const accepted = (record: SealedRecord, metrics: IngestMetrics): void => {
  if (record.lines === 0) return;
  metrics.blocks.add(1);
  metrics.blockLines.set(record.lines);
  metrics.readings.add(record.lines);
  for (const [contributor, readings] of record.contributions) contributor.accepted(readings);
};

/**
 * Carries sealed records to the log, one append at a time: a record that is refused is retried before any later one
 * is sent, so a partition keeps its order. Refusals close the gate of back-pressure until an append has passed.
 */
export class BlockAppender {
  readonly #options: BlockAppenderOptions;
  readonly #skew: ClockSkew;
  readonly #abandon = new AbortController();
  #draining = false;
  #task: Promise<void> = Promise.resolve();
  #stopping = false;

  constructor(options: BlockAppenderOptions) {
    this.#options = options;
    this.#skew = new ClockSkew(options);
    options.writer.onReady(() => this.#start());
  }

  /** Appends all that was written; what cannot be appended before `deadline` aborts is abandoned, and counted. */
  async stop(deadline: AbortSignal): Promise<void> {
    this.#stopping = true;
    const abandon = () => this.#abandon.abort(deadline.reason);
    if (deadline.aborted) abandon();
    deadline.addEventListener("abort", abandon);
    this.#start();
    await this.#task;
    deadline.removeEventListener("abort", abandon);
    this.#options.writer.stop();
  }

  #start(): void {
    if (this.#draining) return;
    this.#draining = true;
    this.#task = this.#drain();
  }

  async #drain(): Promise<void> {
    const { writer } = this.#options;
    for (;;) {
      const records = writer.take(APPEND_BYTES_MAX, this.#stopping);
      if (records.length === 0) break;
      const durable = await this.#append(records);
      for (const record of records) this.#settle(record, durable);
    }
    this.#draining = false;
  }

  /** Until it is durable; false when it was abandoned. */
  async #append(records: readonly SealedRecord[]): Promise<boolean> {
    const { log, clock, metrics, pressure } = this.#options;
    for (let attempt = 0; !this.#abandon.signal.aborted; attempt++) {
      const [began, beganMs] = [clock.monotonic(), clock.now()];
      try {
        this.#skew.measure(beganMs, await log.append("readings", records, { bounded: true }));
        metrics.appendSeconds.observe((clock.monotonic() - began) / 1000);
        pressure.release("log_full");
        pressure.release("log_unavailable");
        return true;
      } catch (error) {
        await this.#refused(error, attempt).catch(() => undefined);
      }
    }
    return false;
  }

  async #refused(error: unknown, attempt: number): Promise<void> {
    const { log, clock, entropy, logger, metrics, pressure } = this.#options;
    const reason: PressureReason = error instanceof LogFullError ? "log_full" : "log_unavailable";
    const known = error instanceof LogFullError || error instanceof LogUnavailableError;
    metrics.appendFailures.add(1, { reason: known ? reason : "fault" });
    if (known) logger.warn({ attempt, error: String(error) }, reason);
    else logger.error({ attempt, error: String(error) }, "ingest_append_fault");
    pressure.hold(reason);
    pressure.release(reason === "log_full" ? "log_unavailable" : "log_full");
    const signal = this.#abandon.signal;
    if (reason === "log_full") await log.whenRoom(signal);
    // Also after `whenRoom`: another writer may have taken the room, and a refusal must not spin.
    if (reason !== "log_full" || attempt > 0) {
      await clock.sleep(fullJitterMs(ENGINE, attempt, entropy.random()), signal);
    }
  }

  #settle(record: SealedRecord, durable: boolean): void {
    const { metrics, writer } = this.#options;
    writer.settled(record);
    if (durable) accepted(record, metrics);
    else metrics.abandoned.add(record.lines);
  }
}
