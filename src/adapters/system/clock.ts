import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock, Entropy } from "../../ports/clock.ts";

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
  every: (ms, task) => {
    const timer = setInterval(task, ms);
    return () => clearInterval(timer);
  },
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

export const systemEntropy: Entropy = {
  random: () => Math.random(),
  bytes: (count) => randomBytes(count),
};
