import { ENGINE, fullJitterMs } from "../domain/backoff.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import { type EventLog, LogFullError, LogUnavailableError } from "../ports/event-log.ts";
import type { Logger } from "../ports/telemetry.ts";
import { APPEND_BYTES_MAX, accepted } from "./block-appender.ts";
import type { BlockWriter } from "./block-writer.ts";
import { ClockSkew } from "./clock-skew.ts";
import type { IngestMetrics } from "./metrics.ts";
import type { SealedRecord } from "./open-block.ts";

export interface PromptAppenderOptions {
  readonly log: EventLog;
  readonly writer: BlockWriter;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
}

/**
 * Carries sealed records to the log for callers who wait: what the log refuses is not tried again but given back as
 * refused, so that a caller who sends it again doubles nothing. Changes of signals are no caller's: they stay, ahead
 * of every later block.
 */
export class PromptAppender {
  readonly #options: PromptAppenderOptions;
  readonly #skew: ClockSkew;
  #draining = false;
  #task: Promise<void> = Promise.resolve();
  #stopping = false;
  #refusals = 0;
  #heldUntil = 0;
  #cancelRetry: () => void = () => undefined;

  constructor(options: PromptAppenderOptions) {
    this.#options = options;
    this.#skew = new ClockSkew(options);
    options.writer.onReady(() => this.#start());
  }

  /** Why it was refused last, for as long as it is not tried again; null when readings may come. */
  get holds(): boolean {
    return this.#options.clock.monotonic() < this.#heldUntil;
  }

  /** Appends what was written, once; nothing more may be written. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#cancelRetry();
    this.#start();
    await this.#task;
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
      if (records.length === 0 || !(await this.#append(records))) break;
    }
    this.#draining = false;
  }

  async #append(records: readonly SealedRecord[]): Promise<boolean> {
    const { log, clock, metrics, writer } = this.#options;
    const [began, beganMs] = [clock.monotonic(), clock.now()];
    try {
      const bounded = records.some(({ lines }) => lines > 0);
      this.#skew.measure(beganMs, await log.append("readings", records, { bounded }));
    } catch (error) {
      this.#refused(records, error);
      return false;
    }
    metrics.appendSeconds.observe((clock.monotonic() - began) / 1000);
    this.#refusals = 0;
    for (const record of records) {
      writer.settled(record);
      accepted(record, metrics);
    }
    return true;
  }

  #refused(records: readonly SealedRecord[], error: unknown): void {
    const { clock, entropy, writer } = this.#options;
    this.#tell(error);
    const delayMs = fullJitterMs(ENGINE, this.#refusals++, entropy.random());
    this.#heldUntil = clock.monotonic() + delayMs;
    // Blocks that were filled meanwhile stand behind the changes that stay: they are refused with these.
    const blocks = [...records, ...writer.take(Number.POSITIVE_INFINITY, true)];
    writer.putBack(blocks.filter(({ lines }) => lines === 0));
    for (const record of blocks) {
      if (record.lines === 0) continue;
      writer.settled(record);
      for (const [contributor, readings] of record.contributions) contributor.refused(readings, error);
    }
    this.#cancelRetry();
    if (!this.#stopping) this.#cancelRetry = clock.after(delayMs, () => this.#start());
  }

  #tell(error: unknown): void {
    const { logger, metrics } = this.#options;
    const known = error instanceof LogFullError || error instanceof LogUnavailableError;
    const reason = error instanceof LogFullError ? "log_full" : "log_unavailable";
    metrics.appendFailures.add(1, { reason: known ? reason : "fault" });
    if (known) logger.warn({ error: String(error) }, reason);
    else logger.error({ error: String(error) }, "ingest_append_fault");
  }
}
