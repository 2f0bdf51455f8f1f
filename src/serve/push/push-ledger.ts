import type { SourceCounters, SourceState } from "../../../schemas/source.ts";
import type { IngestMetrics } from "../../intake/metrics.ts";
import type { SavedLedger } from "../../intake/status-saver.ts";
import type { Tally } from "../../intake/tally.ts";
import type { SourceStatus } from "../../ports/control-store.ts";

const nothing = (): SourceCounters => ({ messages: 0, readings: 0, skipped: 0, rejected: 0, reconnects: 0 });

/** What this process has taken of a source that is pushed to, since it was last saved: others may take some, too. */
export class PushLedger implements SavedLedger {
  readonly #metrics: IngestMetrics;
  #unsaved = nothing();
  #untold = nothing();
  #refusal: string | null = null;
  #lastMessageAt: number | null = null;
  #changed = false;

  constructor(metrics: IngestMetrics) {
    this.#metrics = metrics;
  }

  get state(): SourceState {
    return this.#refusal === null ? "connected" : "paused";
  }

  /** The request's readings are durable. */
  took(tally: Tally, nowMs: number): void {
    for (const counters of [this.#unsaved, this.#untold]) {
      counters.messages += tally.messages;
      counters.readings += tally.readings;
      counters.skipped += tally.skippedMessages;
      counters.rejected += tally.rejections;
    }
    this.#lastMessageAt = nowMs;
    this.#refusal = null;
    this.#changed = true;
  }

  /** Readings out of messages that were counted when they came. */
  recovered(readings: number): void {
    this.#unsaved.readings += readings;
    this.#changed = true;
  }

  /** A request was refused, and shall come again. */
  refused(reason: string): void {
    this.#changed ||= this.#refusal !== reason;
    this.#refusal = reason;
  }

  tellMetrics(): void {
    this.#metrics.messages.add(this.#untold.messages);
    this.#metrics.skipped.add(this.#untold.skipped);
    this.#untold = nothing();
  }

  takeChange(): SourceStatus | null {
    if (!this.#changed) return null;
    const counters = this.#unsaved;
    this.#unsaved = nothing();
    this.#changed = false;
    return { state: this.state, stateReason: this.#refusal, lastMessageAt: this.#lastMessageAt, counters };
  }

  notSaved({ counters }: SourceStatus): void {
    this.#unsaved.messages += counters.messages;
    this.#unsaved.readings += counters.readings;
    this.#unsaved.skipped += counters.skipped;
    this.#unsaved.rejected += counters.rejected;
    this.#changed = true;
  }
}
