import type { SignalDefinition } from "../../../schemas/change.ts";
import { type SnapshotRow, VERSION_LINE } from "./snapshot-rows.ts";

/** No bucket is larger: each is one row of control data. */
export const BUCKET_BYTES_MAX = 512 * 1024;

const encoder = new TextEncoder();

/** Lays rows into buckets, one after the other. */
export class BucketWriter {
  readonly #room = new Uint8Array(BUCKET_BYTES_MAX);
  readonly #full: Uint8Array[] = [];
  readonly #profiles = new Map<string, number>();
  #used = 0;

  constructor() {
    this.#begin();
  }

  row(row: SnapshotRow): void {
    const line = `${JSON.stringify(row)}\n`;
    if (this.#append(line)) return;
    this.#close();
    if (!this.#append(line)) throw new RangeError("a row larger than a bucket");
  }

  /** A signal's row, given the number of its profile in the bucket; the profile stands before its first signal. */
  signal(definition: SignalDefinition, rowFor: (profile: number) => SnapshotRow): void {
    const profile = profileLine(definition);
    if (this.#appendSignal(profile, rowFor)) return;
    this.#close();
    if (!this.#appendSignal(profile, rowFor)) throw new RangeError("a signal larger than a bucket");
  }

  /** The buckets that are full by now, each given once. */
  takeFull(): Uint8Array[] {
    return this.#full.splice(0);
  }

  /** Closes the last bucket; the writer is of no use afterwards. */
  finish(): Uint8Array[] {
    this.#close();
    return this.takeFull();
  }

  #begin(): void {
    this.#used = 0;
    this.#profiles.clear();
    this.#append(VERSION_LINE);
  }

  #close(): void {
    this.#full.push(this.#room.slice(0, this.#used));
    this.#begin();
  }

  #appendSignal(profile: string, rowFor: (profile: number) => SnapshotRow): boolean {
    const known = this.#profiles.get(profile);
    const number = known ?? this.#profiles.size;
    if (!this.#append(`${known === undefined ? profile : ""}${JSON.stringify(rowFor(number))}\n`))
      return false;
    if (known === undefined) this.#profiles.set(profile, number);
    return true;
  }

  #append(text: string): boolean {
    const { read, written } = encoder.encodeInto(text, this.#room.subarray(this.#used));
    if (read < text.length) return false;
    this.#used += written;
    return true;
  }
}

const profileLine = (definition: SignalDefinition): string => {
  const { accountId, sourceId, labels, threshold, floorDbm, ceilingDbm, hysteresis, noDataAfterSeconds } =
    definition;
  const row: SnapshotRow = [
    "profile",
    accountId,
    sourceId,
    labels,
    threshold,
    floorDbm,
    ceilingDbm,
    hysteresis,
    noDataAfterSeconds,
  ];
  return `${JSON.stringify(row)}\n`;
};
