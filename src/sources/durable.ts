import type { Clock } from "../ports/clock.ts";

/** A source that stops waits so long for its last readings to be durable, to remember that it has had them. */
const LAST_MS = 1_000;

/** What `cut` resolves with; rejects a moment after `signal` aborted. */
export const durable = async <T>(clock: Clock, cut: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>();
  let cancel: () => void = () => undefined;
  const stopping = () => {
    cancel = clock.after(LAST_MS, () => reject(signal.reason));
  };
  if (signal.aborted) stopping();
  else signal.addEventListener("abort", stopping, { once: true });
  try {
    return await Promise.race([cut, promise]);
  } finally {
    signal.removeEventListener("abort", stopping);
    cancel();
  }
};
