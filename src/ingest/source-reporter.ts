import type { SourceLedger } from "../intake/source-ledger.ts";
import type { StoredSource } from "../ports/control-store.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { SourceReport } from "../sources/source.ts";
import type { SourceEvents } from "./source-events.ts";
import type { SourceLease } from "./source-lease.ts";

export interface ReporterOptions {
  readonly ledger: SourceLedger;
  readonly lease: Pick<SourceLease, "whenHeld">;
  readonly events: SourceEvents;
  readonly logger: Logger;
}

/** Carries what a source says of itself to its status, the log lines and the events. */
export class SourceReporter implements SourceReport {
  #source: StoredSource;
  readonly #ledger: SourceLedger;
  readonly #lease: ReporterOptions["lease"];
  readonly #events: SourceEvents;
  readonly #logger: Logger;
  #connected = false;

  constructor(source: StoredSource, { ledger, lease, events, logger }: ReporterOptions) {
    this.#source = source;
    this.#ledger = ledger;
    this.#lease = lease;
    this.#events = events;
    this.#logger = logger.child({ sourceId: source.id });
  }

  /** The events to come show the source so. */
  showAs(source: StoredSource): void {
    this.#source = source;
  }

  connecting(): void {
    // While it tries again, the reason why it must is still of interest.
    this.#ledger.is("connecting", this.#ledger.stateReason);
  }

  connected(): void {
    this.#ledger.is("connected");
    this.#logger.info({}, "source_connected");
    if (!this.#connected) this.#tell((source) => this.#events.connected(source));
    this.#connected = true;
  }

  waiting(reason: string, delayMs: number): void {
    this.#ledger.is("waiting", `${reason}; trying again in ${(delayMs / 1000).toFixed(1)} s`);
    this.#logger.info({ reason }, "source_disconnected");
    this.stopped(reason);
  }

  failed(reason: string): void {
    this.#ledger.is("failed", reason);
    this.#logger.warn({ reason }, "source_failed");
    this.stopped(reason);
  }

  reconnecting(): void {
    this.#ledger.reconnecting();
  }

  /** Told as an event only if it was connected. */
  stopped(reason: string): void {
    if (this.#connected) this.#tell((source) => this.#events.disconnected(source, reason));
    this.#connected = false;
  }

  /** A connection that broke while the process stood still says nothing of a source that runs elsewhere by now. */
  #tell(event: (source: StoredSource) => void): void {
    const source = this.#source;
    this.#lease.whenHeld(() => event(source));
  }
}
