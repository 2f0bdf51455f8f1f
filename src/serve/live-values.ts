import { detachedText } from "../domain/copied-text.ts";
import { decodeLive, type LiveUpdate } from "../domain/live.ts";
import { type PlainLive, readPlainLive } from "../domain/plain-live-line.ts";
import type { Scale } from "../domain/quality.ts";
import { LiveIndex } from "./live-index.ts";
import { LiveChanges, type LiveListener, LiveListeners } from "./live-listeners.ts";
import type { LiveValue } from "./live-value.ts";

const NEWLINE = 10;

/** The newest value of every signal, one small object each, by account; and who wants to know of new ones. */
export class LiveValues {
  readonly #accounts = new Map<string, Map<string, LiveValue>>();
  readonly #listeners = new LiveListeners();
  readonly #index = new LiveIndex();
  readonly #line: PlainLive = { atMs: 0, strength: 0, status: "active" };
  #lastScale: Scale = { floorDbm: Number.NaN, ceilingDbm: Number.NaN };

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

  /** As `apply`, of a record of topic `live`; without a string for each line of which nobody wants to hear. */
  applyBlock(block: Uint8Array, offset: number | null): void {
    const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
    const changes = new LiveChanges(this.#listeners);
    for (let at = 0; at < block.length; ) {
      const next = readPlainLive(block, at, this.#line);
      const value = next < 0 ? null : this.#index.find(block, view, at);
      if (value === null) at = this.#applyLine(block, at, offset, changes);
      else {
        this.#applyPlain(value, offset, changes);
        at = next;
      }
    }
    changes.tell();
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

  setScale(accountId: string, signalId: string, scale: Scale): void {
    const value = this.get(accountId, signalId);
    if (value === undefined) return;
    value.scale = this.#sharedScale(scale);
    value.text = null;
  }

  remove(accountId: string, signalId: string): void {
    const value = this.get(accountId, signalId);
    if (value === undefined) return;
    this.#accounts.get(accountId)?.delete(signalId);
    this.#index.remove(value);
  }

  tell(accountId: string, signalIds: readonly string[]): void {
    this.#listeners.tell(accountId, signalIds);
  }

  listen(accountId: string, listener: LiveListener): () => void {
    return this.#listeners.add(accountId, listener);
  }

  /** Most signals have that of the one before. */
  #sharedScale({ floorDbm, ceilingDbm }: Scale): Scale {
    const last = this.#lastScale;
    if (last.floorDbm !== floorDbm || last.ceilingDbm !== ceilingDbm)
      this.#lastScale = { floorDbm, ceilingDbm };
    return this.#lastScale;
  }

  #applyPlain(value: LiveValue, offset: number | null, changes: LiveChanges): void {
    if (offset !== null && offset < value.offset) return;
    const { atMs, strength, status } = this.#line;
    value.set(atMs, strength, status, offset);
    changes.add(value);
  }

  /** One that is not plain, or of a signal not known yet; gives where the next one begins. */
  #applyLine(block: Uint8Array, at: number, offset: number | null, changes: LiveChanges): number {
    const newline = block.indexOf(NEWLINE, at);
    const end = newline < 0 ? block.length : newline + 1;
    for (const update of decodeLive(block.subarray(at, end)))
      if (!this.#isOld(update, offset ?? Number.POSITIVE_INFINITY)) changes.add(this.#store(update, offset));
    return end;
  }

  #isOld({ accountId, signalId }: LiveUpdate, offset: number): boolean {
    return offset < (this.get(accountId, signalId)?.offset ?? -1);
  }

  #isSame({ accountId, signalId, atMs, strength, status }: LiveUpdate): boolean {
    const value = this.get(accountId, signalId);
    return value?.atMs === atMs && value.strength === strength && value.status === status;
  }

  #take(updates: readonly LiveUpdate[], offset: number | null): void {
    const changes = new LiveChanges(this.#listeners);
    for (const update of updates) changes.add(this.#store(update, offset));
    changes.tell();
  }

  #store({ accountId, signalId, atMs, strength, status }: LiveUpdate, offset: number | null): LiveValue {
    const value = this.get(accountId, signalId) ?? this.#add(accountId, signalId);
    value.set(atMs, strength, status, offset);
    return value;
  }

  /** What it is named by was cut from a text that goes. */
  #add(accountId: string, signalId: string): LiveValue {
    const [known] = this.#accounts.get(accountId)?.values() ?? [];
    const account = known?.accountId ?? detachedText(accountId);
    const value = this.#index.add(account, detachedText(signalId));
    const values = this.#accounts.get(account) ?? new Map<string, LiveValue>();
    this.#accounts.set(account, values.set(value.signalId, value));
    return value;
  }
}
