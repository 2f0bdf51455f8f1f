/** How far the no-data clock moves between two consecutive records at most: our own downtime never looks like a signal's. */
export const NO_DATA_STEP_MAX_MS = 5_000;

/** The time of one partition, moved by its records alone. */
export class PartitionClocks {
  /** Append time of the newest record, Unix ms, never falling. */
  recordMs: number;
  /** Milliseconds that count as silence, from an arbitrary start. */
  noDataMs: number;

  constructor(recordMs = 0, noDataMs = 0) {
    this.recordMs = recordMs;
    this.noDataMs = noDataMs;
  }

  advance(appendedAt: number): void {
    const next = Math.max(appendedAt, this.recordMs);
    if (this.recordMs > 0) this.noDataMs += Math.min(next - this.recordMs, NO_DATA_STEP_MAX_MS);
    this.recordMs = next;
  }
}

/** Whether ingest holds a source back, and for how long it has so far: its signals' no-data clock stands still meanwhile. */
export class SourceFlow {
  pausedAtMs: number | null;
  standstillMs: number;
  /** Slots of signals that would be due were the source not paused. */
  readonly parked = new Set<number>();

  constructor(pausedAtMs: number | null = null, standstillMs = 0) {
    this.pausedAtMs = pausedAtMs;
    this.standstillMs = standstillMs;
  }

  pause(noDataMs: number): void {
    this.pausedAtMs ??= noDataMs;
  }

  resume(noDataMs: number): void {
    if (this.pausedAtMs === null) return;
    this.standstillMs += noDataMs - this.pausedAtMs;
    this.pausedAtMs = null;
  }
}

/** The no-data clock as the signals of a source see it; `flow` null: the source was never paused, or there is none. */
export const sourceMs = (clocks: PartitionClocks, flow: SourceFlow | null): number =>
  flow === null ? clocks.noDataMs : (flow.pausedAtMs ?? clocks.noDataMs) - flow.standstillMs;
