import type { Clock, Entropy } from "../ports/clock.ts";

/** What the client takes of a clock; a test gives one that it holds in its hand. */
export type ClientClock = Pick<Clock, "now" | "sleep" | "after">;

const sleep: Clock["sleep"] = (ms, signal) =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }, ms);
    signal?.addEventListener("abort", aborted, { once: true });
  });

/** Time as any platform has it, browsers included: nothing of Node. */
export const platformClock: ClientClock = {
  now: () => Date.now(),
  sleep,
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

export const platformEntropy: Entropy = {
  random: () => Math.random(),
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};
