import type { LiveValue } from "./live-value.ts";

/** Told which signals of an account have a new value. */
export type LiveListener = (signalIds: readonly string[]) => void;

/** Who wants to know of new values, by account. */
export class LiveListeners {
  readonly #listeners = new Map<string, Set<LiveListener>>();

  has(accountId: string): boolean {
    return this.#listeners.has(accountId);
  }

  /** Calls the listener until the function that it gives is called. */
  add(accountId: string, listener: LiveListener): () => void {
    const listeners = this.#listeners.get(accountId) ?? new Set();
    this.#listeners.set(accountId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(accountId) === listeners)
        this.#listeners.delete(accountId);
    };
  }

  tell(accountId: string, signalIds: readonly string[]): void {
    for (const listener of this.#listeners.get(accountId) ?? []) listener(signalIds);
  }
}

/** What has changed, to be told at once; only that of which somebody wants to know. */
export class LiveChanges {
  readonly #listeners: LiveListeners;
  readonly #ids = new Map<string, string[]>();

  constructor(listeners: LiveListeners) {
    this.#listeners = listeners;
  }

  add({ accountId, signalId }: LiveValue): void {
    if (!this.#listeners.has(accountId)) return;
    const ids = this.#ids.get(accountId);
    if (ids === undefined) this.#ids.set(accountId, [signalId]);
    else ids.push(signalId);
  }

  tell(): void {
    for (const [accountId, ids] of this.#ids) this.#listeners.tell(accountId, ids);
  }
}
