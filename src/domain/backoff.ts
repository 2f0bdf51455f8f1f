export interface BackoffPolicy {
  readonly baseMs: number;
  readonly capMs: number;
}

/** Exponential back-off with full jitter: uniform in [0, min(cap, base * 2^attempt)), `attempt` from 0, `random` in [0, 1).
 * Source: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ */
export const fullJitterMs = (policy: BackoffPolicy, attempt: number, random: number): number =>
  Math.floor(random * Math.min(policy.capMs, policy.baseMs * 2 ** Math.min(attempt, 30)));

/** A source's connection: 0.5 s to 60 s. */
export const RECONNECT: BackoffPolicy = { baseMs: 500, capMs: 60_000 };
/** An engine of ours that does not answer: 100 ms to 5 s. */
export const ENGINE: BackoffPolicy = { baseMs: 100, capMs: 5_000 };
