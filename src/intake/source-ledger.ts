import type { SourceCounters, SourceState } from "../../schemas/source.ts";
import type { SourceStatus } from "../ports/control-store.ts";
import type { IngestMetrics } from "./metrics.ts";

const NOTHING: SourceCounters = { messages: 0, readings: 0, skipped: 0, rejected: 0, reconnects: 0 };

/** What is known of one source; it outlives the source's connections and settings. */
export class SourceLedger {
  readonly #metrics: IngestMetrics;
  readonly #counters: SourceCounters;
  #state: SourceState = "connecting";
  #stateReason: string | null = null;
  #pausedBecause: string | null = null;
  #lastMessageAt: number | null;
  #changed = true;
  #told: SourceCounters;

  /** `saved`: the status of an earlier run, whose counters go on. */
  constructor(metrics: IngestMetrics, saved: SourceStatus | null) {
    this.#metrics = metrics;
    this.#counters = { ...NOTHING, ...saved?.counters };
    this.#told = { ...this.#counters };
    this.#lastMessageAt = saved?.lastMessageAt ?? null;
  }

  get state(): SourceState {
    const couldFlow = this.#state === "connected" || this.#state === "connecting";
    return couldFlow && this.#pausedBecause !== null ? "paused" : this.#state;
  }

  get stateReason(): string | null {
    return this.#stateReason;
  }

  is(state: SourceState, reason: string | null = null): void {
    this.#state = state;
    this.#stateReason = reason;
    this.#changed = true;
  }

  /** Shown instead of `connected` and `connecting`; null when it flows again. */
  pausedBecause(reason: string | null): void {
    this.#pausedBecause = reason;
    this.#changed = true;
  }

  message(nowMs: number): void {
    this.#counters.messages++;
    this.#lastMessageAt = nowMs;
    this.#changed = true;
  }

  /** Durable in the log; the metric is counted where the block is. */
  accepted(readings: number): void {
    this.#counters.readings += readings;
    this.#changed = true;
  }

  skipped(): void {
    this.#counters.skipped++;
    this.#changed = true;
  }

  rejected(): void {
    this.#counters.rejected++;
    this.#changed = true;
  }

  reconnecting(): void {
    this.#counters.reconnects++;
    this.#changed = true;
  }

  status(): SourceStatus {
    return {
      state: this.state,
      stateReason: this.state === "paused" ? this.#pausedBecause : this.#stateReason,
      lastMessageAt: this.#lastMessageAt,
      counters: { ...this.#counters },
    };
  }

  /** Adds to the metrics what came since the last call: metrics cost too much to be touched for every message. */
  tellMetrics(): void {
    this.#metrics.messages.add(this.#counters.messages - this.#told.messages);
    this.#metrics.skipped.add(this.#counters.skipped - this.#told.skipped);
    this.#metrics.reconnects.add(this.#counters.reconnects - this.#told.reconnects);
    this.#told = { ...this.#counters };
  }

  /** The status if it has changed since the last call that gave one. */
  takeChange(): SourceStatus | null {
    if (!this.#changed) return null;
    this.#changed = false;
    return this.status();
  }

  /** The status given last could not be saved: it is given again. */
  notSaved(): void {
    this.#changed = true;
  }
}
