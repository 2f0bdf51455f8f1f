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
