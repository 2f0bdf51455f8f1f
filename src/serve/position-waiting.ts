import type { Clock } from "../ports/clock.ts";
import type { Gauge } from "../ports/telemetry.ts";

const WAITING_MAX = 10_000;

interface Waiting {
  readonly position: number;
  readonly settle: (reached: boolean) => void;
}

/** Those who wait until a position has been reached. At most 10,000: one more is told false at once. */
export const createPositionWaiting = (clock: Clock, gauge: Gauge) => {
  const waiting = new Set<Waiting>();
  let reached = 0;
  let released = false;
  const settle = (all: Iterable<Waiting>, value: boolean) => {
    for (const one of all) one.settle(value);
  };
  return {
    get count(): number {
      return waiting.size;
    },
    /** True once the position is reached, false after `timeoutMs`. */
    wait: (position: number, timeoutMs: number): Promise<boolean> => {
      if (position <= reached) return Promise.resolve(true);
      if (released || waiting.size >= WAITING_MAX) return Promise.resolve(false);
      return new Promise((resolve) => {
        const one: Waiting = {
          position,
          settle: (value) => {
            cancel();
            waiting.delete(one);
            gauge.set(waiting.size);
            resolve(value);
          },
        };
        const cancel = clock.after(timeoutMs, () => one.settle(false));
        waiting.add(one);
        gauge.set(waiting.size);
      });
    },
    advance: (position: number): void => {
      reached = Math.max(reached, position);
      settle(
        [...waiting].filter((one) => one.position <= reached),
        true,
      );
    },
    /** Tells everyone false, also those who come later. */
    release: (): void => {
      released = true;
      settle([...waiting], false);
    },
  };
};
