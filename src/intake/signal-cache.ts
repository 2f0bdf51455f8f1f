import type { AccountId, SignalId } from "../../schemas/common.ts";
import { linePrefix } from "../domain/line-writer.ts";
import { partitionOf } from "../domain/partition.ts";
import type { Entropy } from "../ports/clock.ts";
import { ByteSlab, type Span } from "./byte-slab.ts";
import { NamesAsBytes } from "./names-as-bytes.ts";

const encoder = new TextEncoder();

/** A signal as the block writer needs it; the span is the start of its lines: its id and a tab. */
export interface SignalRef extends Span {
  readonly id: SignalId;
  readonly partition: number;
}

export const signalRef = (id: SignalId, partitions: number, slab = new ByteSlab()): SignalRef => {
  const { bytes, start, end } = slab.keep(linePrefix(id));
  return { id, partition: partitionOf(id, partitions), bytes, start, end };
};

/** The signals that the senders of one account mean by their names; the oldest entry leaves when it is full. */
export class AccountSignals {
  readonly #namesMax: number;
  readonly #byName = new Map<string, SignalRef>();
  readonly #names = new Map<SignalId, string | string[]>();
  readonly #asBytes: NamesAsBytes;
  readonly #slab: ByteSlab;

  constructor(namesMax: number, entropy: Entropy, slab: ByteSlab) {
    this.#namesMax = namesMax;
    this.#asBytes = new NamesAsBytes(entropy.random() * 2 ** 32, slab);
    this.#slab = slab;
  }

  /** A signal that is yet to be `set`. */
  ref(id: SignalId, partitions: number): SignalRef {
    return signalRef(id, partitions, this.#slab);
  }

  get(name: string): SignalRef | undefined {
    return this.#byName.get(name);
  }

  /** By the bytes of an ASCII name. */
  getBytes(bytes: Uint8Array, start: number, end: number): SignalRef | undefined {
    return this.#asBytes.find(bytes, start, end);
  }

  set(name: string, signal: SignalRef): void {
    if (this.#byName.get(name)?.id === signal.id) return;
    if (this.#byName.size >= this.#namesMax) this.#evict();
    this.#byName.set(name, signal);
    this.#asBytes.set(encoder.encode(name), signal);
    const others = this.#names.get(signal.id);
    this.#names.set(signal.id, others === undefined ? name : [others, name].flat());
  }

  /** Forgets every name of a signal. */
  drop(id: SignalId): void {
    for (const name of [this.#names.get(id) ?? []].flat()) {
      if (this.#byName.get(name)?.id !== id) continue;
      this.#byName.delete(name);
      this.#asBytes.delete(encoder.encode(name));
    }
    this.#names.delete(id);
  }

  #evict(): void {
    for (const signal of this.#byName.values()) {
      this.drop(signal.id);
      return;
    }
  }
}

/** What is known of all accounts. Deletions are told here, and to those who are asking control data meanwhile. */
export class SignalCache {
  readonly #namesMax: number;
  readonly #entropy: Entropy;
  readonly #slab = new ByteSlab();
  readonly #accounts = new Map<AccountId, AccountSignals>();
  readonly #listeners = new Set<(id: SignalId) => void>();

  constructor(namesMax: number, entropy: Entropy) {
    this.#namesMax = namesMax;
    this.#entropy = entropy;
  }

  account(id: AccountId): AccountSignals {
    const found = this.#accounts.get(id);
    if (found !== undefined) return found;
    const made = new AccountSignals(this.#namesMax, this.#entropy, this.#slab);
    this.#accounts.set(id, made);
    return made;
  }

  drop(accountId: AccountId, id: SignalId): void {
    this.#accounts.get(accountId)?.drop(id);
    for (const listener of this.#listeners) listener(id);
  }

  onDrop(listener: (id: SignalId) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
