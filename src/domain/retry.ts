import { type BackoffPolicy, fullJitterMs } from "./backoff.ts";

export interface RetryOptions {
  readonly policy: BackoffPolicy;
  /** Whether trying again can help; any other error is thrown on. */
  readonly retriable: (error: unknown) => boolean;
  /** Resolves after `ms`, rejects when the signal aborts; and chance in [0, 1). */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Told of each failure before the wait, `attempt` from 0. */
  readonly failed?: (error: unknown, attempt: number) => void;
}

/** Does `task` until it works, with back-off; rejects with the signal's reason once that is aborted. */
export const retrying = async <T>(task: () => Promise<T>, options: RetryOptions): Promise<T> => {
  for (let attempt = 0; ; attempt++) {
    options.signal.throwIfAborted();
    try {
      return await task();
    } catch (error) {
      if (!options.retriable(error)) throw error;
      options.failed?.(error, attempt);
      await options.sleep(fullJitterMs(options.policy, attempt, options.random()), options.signal);
    }
  }
};
