import { createRequire } from "node:module";

/** Each connection of kafkajs has one: requests that wait until the broker takes more. */
interface RequestQueue {
  /** Unix ms; -1 where the broker has not asked to be spared. */
  readonly throttledUntil: number;
  readonly pending: readonly unknown[];
  throttleCheckTimeoutId: unknown;
  checkPendingRequests(): void;
}

const QUEUE = "kafkajs/src/network/requestQueue/index.js";
const METHOD = "scheduleCheckPendingRequests";
const LOOK_AGAIN_MS = 10;

/** As kafkajs means it: looks again as long as something waits. */
function scheduleCheckPendingRequests(this: RequestQueue): void {
  if (this.pending.length === 0 || this.throttleCheckTimeoutId) return;
  const throttledMs = this.throttledUntil - Date.now();
  this.throttleCheckTimeoutId = setTimeout(
    () => {
      this.throttleCheckTimeoutId = null;
      this.checkPendingRequests();
    },
    throttledMs > 0 ? throttledMs : LOOK_AGAIN_MS,
  );
}

/**
 * kafkajs 2.2.4 sets a timer of minus the Unix time after each answer, and again each time it fires: every connection
 * wakes the process a thousand times a second for nothing (the cause of Node's TimeoutNegativeWarning, PITFALLS 15).
 */
export const mendRequestQueue = (): void => {
  const queue: unknown = createRequire(import.meta.url)(QUEUE);
  const prototype: unknown = typeof queue === "function" ? queue.prototype : null;
  if (typeof prototype === "object" && prototype !== null && METHOD in prototype)
    Reflect.set(prototype, METHOD, scheduleCheckPendingRequests);
};
