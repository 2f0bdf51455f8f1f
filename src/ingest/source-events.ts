import { EventId } from "../../schemas/common.ts";
import { API_VERSION } from "../../schemas/event.ts";
import { ENGINE, fullJitterMs } from "../domain/backoff.ts";
import { ulid } from "../domain/ids.ts";
import { eventRecord, type OutgoingRecord } from "../domain/records.ts";
import type { IngestMetrics } from "../intake/metrics.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import type { StoredSource } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Logger } from "../ports/telemetry.ts";

const QUEUE_MAX = 1_000;

export interface SourceEventsOptions {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
}

/** Appends `source.connected` and `source.disconnected` to the events topic, in order, at least once. */
export class SourceEvents {
  readonly #options: SourceEventsOptions;
  readonly #stop = new AbortController();
  #queue: OutgoingRecord[] = [];
  #appending = false;
  #task: Promise<void> = Promise.resolve();

  constructor(options: SourceEventsOptions) {
    this.#options = options;
  }

  connected(source: StoredSource): void {
    this.#add("source.connected", source, null);
  }

  disconnected(source: StoredSource, reason: string): void {
    this.#add("source.disconnected", source, reason);
  }

  async stop(deadline: AbortSignal): Promise<void> {
    const giveUp = () => this.#stop.abort(deadline.reason);
    if (deadline.aborted) giveUp();
    deadline.addEventListener("abort", giveUp);
    await this.#task;
    deadline.removeEventListener("abort", giveUp);
  }

  #add(event: "source.connected" | "source.disconnected", source: StoredSource, reason: string | null): void {
    const { clock, entropy, metrics } = this.#options;
    const now = clock.now();
    const record = eventRecord({
      accountId: source.accountId,
      signalId: null,
      event: {
        event,
        id: EventId.parse(`evt_${ulid(now, entropy.bytes(10))}`),
        type: event,
        createdAt: new Date(now).toISOString(),
        apiVersion: API_VERSION,
        sequence: null,
        data: { source: { id: source.id, name: source.settings.name, reason } },
      },
    });
    if (this.#queue.length === QUEUE_MAX) {
      this.#queue.shift();
      metrics.eventsDropped.add(1);
    }
    this.#queue.push(record);
    this.#start();
  }

  #start(): void {
    if (this.#appending) return;
    this.#appending = true;
    this.#task = this.#append();
  }

  async #append(): Promise<void> {
    const { log, clock, entropy, logger, metrics } = this.#options;
    for (let attempt = 0; this.#queue.length > 0 && !this.#stop.signal.aborted; attempt++) {
      const batch = this.#queue;
      this.#queue = [];
      metrics.eventQueue.set(batch.length);
      try {
        await log.append("events", batch);
        attempt = -1;
      } catch (error) {
        logger.warn({ events: batch.length, error: String(error) }, "ingest_source_events_not_appended");
        this.#queue = [...batch, ...this.#queue].slice(-QUEUE_MAX);
        const ms = fullJitterMs(ENGINE, attempt, entropy.random());
        await clock.sleep(ms, this.#stop.signal).catch(() => undefined);
      }
      metrics.eventQueue.set(this.#queue.length);
    }
    this.#appending = false;
  }
}
