import type { SignalStatus } from "../../schemas/signal.ts";
import type { LiveUpdate } from "../domain/live.ts";
import type { Scale } from "../domain/quality.ts";

/** The newest value of a signal; strength and time are null before the first reading. Read it, do not keep it. */
export interface LiveValue {
  atMs: number | null;
  strength: number | null;
  status: SignalStatus;
  /** How far its partition had been folded; -1 while nobody has said. */
  offset: number;
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

  /**
   * Takes what an evaluator says its partition's newest values were at `offset`. What one says that woke up after
   * another had taken over is older than what is known, and left out. `offset` null: nobody knows, and order counts.
   */
  apply(updates: readonly LiveUpdate[], offset: number | null): void {
    this.#take(
      updates.filter((update) => !this.#isOld(update, offset ?? Number.POSITIVE_INFINITY)),
      offset,
    );
  }

  /** As `apply`, for values that may be known already: nobody is told of those that stay what they are. */
  seed(updates: readonly LiveUpdate[], offset: number): void {
    this.#take(
      updates.filter((update) => !this.#isOld(update, offset) && !this.#isSame(update)),
      offset,
    );
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

  #isOld({ accountId, signalId }: LiveUpdate, offset: number): boolean {
    return offset < (this.get(accountId, signalId)?.offset ?? -1);
  }

  #isSame({ accountId, signalId, atMs, strength, status }: LiveUpdate): boolean {
    const value = this.get(accountId, signalId);
    return value?.atMs === atMs && value.strength === strength && value.status === status;
  }

  #take(updates: readonly LiveUpdate[], offset: number | null): void {
    for (const [accountId, ids] of this.#store(updates, offset)) this.tell(accountId, ids);
  }

  #store(updates: readonly LiveUpdate[], offset: number | null): Map<string, string[]> {
    const changed = new Map<string, string[]>();
    for (const update of updates) {
      const { accountId, signalId } = update;
      this.#storeOne(update, offset);
      const ids = changed.get(accountId);
      if (ids === undefined) changed.set(accountId, [signalId]);
      else ids.push(signalId);
    }
    return changed;
  }

  #storeOne({ accountId, signalId, atMs, strength, status }: LiveUpdate, offset: number | null): void {
    const values = this.#accounts.get(accountId) ?? new Map<string, LiveValue>();
    this.#accounts.set(accountId, values);
    const value = values.get(signalId);
    if (value === undefined)
      values.set(signalId, { atMs, strength, status, offset: offset ?? -1, scale: null, text: null });
    else Object.assign(value, { atMs, strength, status, offset: offset ?? value.offset, text: null });
  }
}
