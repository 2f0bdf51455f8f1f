import { ENGINE, fullJitterMs } from "../domain/backoff.ts";
import type { LogRecord } from "../domain/log-record.ts";
import { readEvent } from "../domain/records.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { SignalCache } from "./signal-cache.ts";

export interface DeletionWatchOptions {
  readonly log: EventLog;
  readonly cache: SignalCache;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
}

const DELETED = Buffer.from('"signal.deleted"');
const EXTERNAL_ID = Buffer.from('"externalId"');

/** Few events change what a name means, and parsing all would cost: `externalId` stands twice in one that changed it. */
const mayMatter = ({ value }: LogRecord): boolean => {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  const first = bytes.indexOf(EXTERNAL_ID);
  return (first >= 0 && bytes.includes(EXTERNAL_ID, first + 1)) || bytes.includes(DELETED);
};

/**
 * Follows the events topic from now on: a signal that was deleted, or whose externalId has changed, is forgotten, so
 * that the next reading of its name asks control data again. Readings until then become dead letters at the evaluator.
 */
export class DeletionWatch {
  readonly #options: DeletionWatchOptions;
  readonly #stop = new AbortController();
  readonly #task: Promise<void>;

  constructor(options: DeletionWatchOptions) {
    this.#options = options;
    this.#task = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#task;
  }

  async #follow(): Promise<void> {
    const { log, clock, entropy, logger } = this.#options;
    const { signal } = this.#stop;
    let from: number | "end" = "end";
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        for await (const batch of log.tail("events", { from, signal })) {
          for (const record of batch) this.#see(record);
          const last = batch.at(-1);
          if (last !== undefined) from = last.offset + 1;
          attempt = 0;
        }
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ error: String(error) }, "ingest_deletions_unknown");
      }
      const ms = fullJitterMs(ENGINE, attempt, entropy.random());
      await clock.sleep(ms, signal).catch(() => undefined);
    }
  }

  #see(record: LogRecord): void {
    if (!mayMatter(record)) return;
    try {
      const { accountId, signalId, event } = readEvent(record);
      const renamed = event.data.previous?.externalId !== undefined;
      if (signalId !== null && (event.event === "signal.deleted" || renamed)) {
        this.#options.cache.drop(accountId, signalId);
      }
    } catch (error) {
      this.#options.logger.error({ offset: record.offset, error: String(error) }, "ingest_event_unreadable");
    }
  }
}
