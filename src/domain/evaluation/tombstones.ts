/** How long a deletion is remembered, so that a late copy of an older change does not bring the thing back. */
export const TOMBSTONE_MS = 24 * 3600 * 1000;

export interface Tombstone {
  readonly id: string;
  readonly revision: number;
  readonly deletedAtMs: number;
}

/** What was deleted within the last 24 h of record time, oldest first. */
export class Tombstones {
  readonly #byId = new Map<string, Tombstone>();

  get size(): number {
    return this.#byId.size;
  }

  /** Asked by the record's time, not by what was already forgotten: so a replay gives the same answer. */
  has(id: string, nowMs: number): boolean {
    const tombstone = this.#byId.get(id);
    return tombstone !== undefined && nowMs - tombstone.deletedAtMs < TOMBSTONE_MS;
  }

  add(tombstone: Tombstone): void {
    for (const old of this.#byId.values()) {
      if (tombstone.deletedAtMs - old.deletedAtMs < TOMBSTONE_MS) break;
      this.#byId.delete(old.id);
    }
    this.#byId.delete(tombstone.id);
    this.#byId.set(tombstone.id, tombstone);
  }

  all(): Tombstone[] {
    return [...this.#byId.values()];
  }
}
