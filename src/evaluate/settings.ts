import { LET_GO_MAX_MS } from "../ports/event-log.ts";

/** What may be set of the evaluate worker; tests make the intervals short. */
export interface EvaluateSettings {
  readonly snapshotEveryMs: number;
  /** Sooner, where that spares a start to fold so many readings once more. */
  readonly snapshotSoonerEveryMs: number;
  readonly snapshotSoonerReadings: number;
  /** While a full log waits to be trimmed, which two snapshots past what fills it allow. */
  readonly snapshotWhenFullEveryMs: number;
  readonly liveEveryMs: number;
  /** At most this many signals are told on `live` each time; the others wait, newest value first come. */
  readonly liveUpdatesMax: number;
  /** A partition in which a timer is pending gets a tick when no record came for so long. */
  readonly tickAfterMs: number;
  readonly deadLettersPerSecond: number;
  readonly commitEveryMs: number;
  /** How long a partition that is let go of may take to make its events durable: nobody reads it meanwhile. */
  readonly drainMs: number;
}

export const EVALUATE_DEFAULTS: EvaluateSettings = {
  snapshotEveryMs: 30_000,
  snapshotSoonerEveryMs: 5_000,
  snapshotSoonerReadings: 250_000,
  snapshotWhenFullEveryMs: 1_000,
  liveEveryMs: 100,
  liveUpdatesMax: 20_000,
  tickAfterMs: 1_000,
  deadLettersPerSecond: 100,
  commitEveryMs: 50,
  drainMs: LET_GO_MAX_MS - 500,
};
