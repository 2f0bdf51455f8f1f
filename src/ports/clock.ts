/** Time and chance, injected so that tests can hold them. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Milliseconds from an arbitrary start, never falling. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `task` every `ms` until the returned function is called. */
  every(ms: number, task: () => void): () => void;
  /** Calls `task` once after `ms` unless the returned function is called before. */
  after(ms: number, task: () => void): () => void;
}

export interface Entropy {
  /** Uniform in [0, 1). */
  random(): number;
  /** Cryptographically strong bytes. */
  bytes(count: number): Uint8Array;
}
