import type { SignalStatus } from "../../schemas/signal.ts";
import type { LiveUpdate } from "../domain/live.ts";
import type { Scale } from "../domain/quality.ts";

/** The newest value of a signal; strength and time are null before the first reading. Read it, do not keep it. */
export interface LiveValue {
  atMs: number | null;
  strength: number | null;
  status: SignalStatus;
  /** Null until somebody has looked it up: only streams need it. */
  scale: Scale | null;
  /** The reading as streams write it, kept until the value changes. */
  text: string | null;
}

/** Told which signals of an account have a new value. */
export type LiveListener = (signalIds: readonly string[]) => void;

/** The newest value of every signal, one small object each, by account; and who wants to know of new ones. */
export class LiveValues {
  readonly #accounts = new Map<string, Map<string, LiveValue>>();
  readonly #listeners = new Map<string, Set<LiveListener>>();

  apply(updates: readonly LiveUpdate[]): void {
    for (const [accountId, ids] of this.#store(updates)) this.tell(accountId, ids);
  }

  get(accountId: string, signalId: string): LiveValue | undefined {
    return this.#accounts.get(accountId)?.get(signalId);
  }

  ids(accountId: string): Iterable<string> {
    return this.#accounts.get(accountId)?.keys() ?? [];
  }

  setScale(accountId: string, signalId: string, { floorDbm, ceilingDbm }: Scale): void {
    const value = this.get(accountId, signalId);
    if (value === undefined) return;
    value.scale = { floorDbm, ceilingDbm };
    value.text = null;
  }

  remove(accountId: string, signalId: string): void {
    this.#accounts.get(accountId)?.delete(signalId);
  }

  tell(accountId: string, signalIds: readonly string[]): void {
    for (const listener of this.#listeners.get(accountId) ?? []) listener(signalIds);
  }

  listen(accountId: string, listener: LiveListener): () => void {
    const listeners = this.#listeners.get(accountId) ?? new Set();
    this.#listeners.set(accountId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(accountId) === listeners)
        this.#listeners.delete(accountId);
    };
  }

  #store(updates: readonly LiveUpdate[]): Map<string, string[]> {
    const changed = new Map<string, string[]>();
    for (const update of updates) {
      const { accountId, signalId, atMs, strength, status } = update;
      const values = this.#accounts.get(accountId) ?? new Map<string, LiveValue>();
      const value = values.get(signalId);
      if (value === undefined) values.set(signalId, { atMs, strength, status, scale: null, text: null });
      else Object.assign(value, { atMs, strength, status, text: null });
      this.#accounts.set(accountId, values);
      const ids = changed.get(accountId);
      if (ids === undefined) changed.set(accountId, [signalId]);
      else ids.push(signalId);
    }
    return changed;
  }
}
