import type { LogUnavailableError } from "../../ports/event-log.ts";
import type { Logger } from "../../ports/telemetry.ts";
import type { Health } from "../../ports/worker.ts";
import type { Capacity } from "../event-log/capacity.ts";

/** A transaction that takes longer says that the disk hangs. */
const DISK_ANSWER_MAX_MS = 10_000;
const NAME = "event-log";

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`;

/** How the log is, told by how its transactions end. */
export class Condition {
  readonly #log: Logger;
  #failure: LogUnavailableError | null = null;
  #closed = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  failed(error: LogUnavailableError): void {
    // Once for each cause: those who append try again and again.
    if (this.#failure?.message !== error.message) this.#log.error({ err: error }, "log_unavailable");
    this.#failure = error;
  }

  recovered(): void {
    if (this.#failure === null) return;
    this.#failure = null;
    this.#log.info({}, "log_available");
  }

  closed(): void {
    this.#closed = true;
  }

  /** `busyMs`: for how long the running transaction has been running. */
  health(busyMs: number, capacity: Capacity): Health {
    if (this.#closed) return { name: NAME, state: "down", detail: "The event log is closed." };
    if (busyMs > DISK_ANSWER_MAX_MS) {
      const seconds = Math.round(busyMs / 1_000);
      const detail = `The disk of the event log has not answered for ${seconds} s: check it, then restart the service.`;
      return { name: NAME, state: "down", detail };
    }
    if (this.#failure !== null) return { name: NAME, state: "down", detail: this.#failure.message };
    if (!capacity.hasRoom()) {
      const detail = `The event log holds ${gigabytes(capacity.storedBytes)}, its limit (LOG_MAX_BYTES): readings wait until older ones are done.`;
      return { name: NAME, state: "degraded", detail };
    }
    return { name: NAME, state: "ok", detail: null };
  }
}
