import type { LogUnavailableError, Topic } from "../../ports/event-log.ts";
import type { Logger } from "../../ports/telemetry.ts";
import type { Health } from "../../ports/worker.ts";
import type { Capacity } from "../event-log/capacity.ts";

const NAME = "event-log";
const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`;

/** What may fail apart from the rest: writing what must last, newest values, and asking. */
export type Part = "append" | "live" | "ask";

/** How the log is, told by how each part of it fares. */
export class Condition {
  readonly #log: Logger;
  readonly #failures = new Map<Part, LogUnavailableError>();
  readonly #refusals = new Map<Topic, LogUnavailableError>();
  #closed = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Why a topic may be neither appended to nor consumed, for as long as this process lives; null while it may. */
  refusalOf(topic: Topic): LogUnavailableError | null {
    return this.#refusals.get(topic) ?? null;
  }

  throwIfRefused(topic: Topic): void {
    const refusal = this.refusalOf(topic);
    if (refusal !== null) throw refusal;
  }

  failed(part: Part, error: LogUnavailableError): void {
    // Once for each cause: it is tried again and again.
    if (this.#failures.get(part)?.message !== error.message)
      this.#log.error({ part, reason: error.message }, "log_unavailable");
    this.#failures.set(part, error);
  }

  recovered(part: Part): void {
    if (this.#failures.delete(part)) this.#log.info({ part }, "log_available");
  }

  refuse(error: LogUnavailableError, topics: readonly Topic[]): void {
    const fresh = topics.filter((topic) => !this.#refusals.has(topic));
    if (fresh.length > 0) this.#log.error({ topics: fresh, reason: error.message }, "log_refused");
    for (const topic of fresh) this.#refusals.set(topic, error);
  }

  closed(): void {
    this.#closed = true;
  }

  health(capacity: Capacity): Health {
    if (this.#closed) return { name: NAME, state: "down", detail: "The event log is closed." };
    const [failure = null] = this.#failures.values();
    const [refusal = null] = this.#refusals.values();
    const worst = refusal ?? failure;
    if (worst !== null) return { name: NAME, state: "down", detail: worst.message };
    if (!capacity.hasRoom()) {
      const detail = `The event log holds about ${gigabytes(capacity.storedBytes)}, its limit (LOG_MAX_BYTES): readings wait until older ones are done.`;
      return { name: NAME, state: "degraded", detail };
    }
    return { name: NAME, state: "ok", detail: null };
  }
}
