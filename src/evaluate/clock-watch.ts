import type { EvaluateContext } from "./context.ts";

/** How far ahead of this machine's clock a partition may have been written. */
const AHEAD_MAX_MS = 60_000;

interface Watched {
  readonly partition: number;
  /** Append time of the newest record that was evaluated, Unix ms. */
  readonly recordMs: number;
}

/**
 * Append times never fall. So a log that was once written by a clock far ahead takes every later record as of the same
 * moment: no rule's wait ends there and no silence is noticed until this clock has caught up, and somebody must be told.
 */
export class ClockWatch {
  readonly #context: EvaluateContext;
  #ahead: ReadonlyMap<number, Watched> = new Map();

  constructor(context: EvaluateContext) {
    this.#context = context;
  }

  look(partitions: Iterable<Watched>): void {
    const { clock, logger, metrics } = this.#context;
    const nowMs = clock.now();
    const shown: [number, { readonly partition: string }][] = [];
    const ahead = new Map<number, Watched>();
    for (const { partition, recordMs } of partitions) {
      const aheadMs = Math.max(0, recordMs - nowMs);
      shown.push([aheadMs / 1000, { partition: String(partition) }]);
      if (aheadMs <= AHEAD_MAX_MS) continue;
      ahead.set(partition, { partition, recordMs });
      if (this.#ahead.has(partition)) continue;
      logger.error({ partition, aheadMs, until: new Date(recordMs).toISOString() }, "evaluate_clock_ahead");
    }
    this.#ahead = ahead;
    metrics.clockAhead.replace(shown);
  }

  /** In words for `GET /health/ready`; null while all is well. */
  trouble(): string | null {
    for (const { partition, recordMs } of this.#ahead.values()) {
      const until = new Date(recordMs).toISOString();
      return (
        `partition ${partition} of readings was written by a clock ahead of this one: until ${until} no time passes ` +
        "in it, so rules do not stop waiting and silence is not noticed; set this clock right, or begin a new log"
      );
    }
    return null;
  }
}
