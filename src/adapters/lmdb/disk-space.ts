import { statfsSync } from "node:fs";
import { LogUnavailableError } from "../../ports/event-log.ts";

/** Kept free, on the disk or within LMDB's file, so that trims and commits go on when the disk is full. */
const RESERVE_BYTES = 32 * 2 ** 20;
/** Every transaction copies some pages of the tree besides what it writes. */
const MARGIN_BYTES = 4 * 2 ** 20;
/** Enough for one that makes room. */
const LAST_BYTES = 2 ** 20;

/** Bytes that this process may still write to the file system of `directory`; none when it cannot be asked. */
export const diskFreeBytes = (directory: string): number => {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return 0;
  }
};

/**
 * Looks before each transaction whether the disk has room for it. A full disk is thus found before LMDB writes: a
 * transaction that deletes needs new pages too, and the wrapper's library, when a write fails, prints its report into
 * too small a buffer (mdb_page_flush in lmdb 3.5.6), after which the process may abort.
 */
export class DiskSpace {
  readonly #freeBytes: () => number;
  readonly #unusedBytes: () => number;

  /** `unusedBytes`: what is free within LMDB's file. */
  constructor(freeBytes: () => number, unusedBytes: () => number) {
    this.#freeBytes = freeBytes;
    this.#unusedBytes = unusedBytes;
  }

  /** Null when `bytes` can be written and the reserve is kept. */
  shortage(bytes: number): LogUnavailableError | null {
    const spare = this.#freeBytes() - bytes;
    if (spare >= RESERVE_BYTES) return null;
    if (spare >= MARGIN_BYTES && spare + this.#unusedBytes() - bytes >= RESERVE_BYTES) return null;
    const left = ((spare + bytes) / 2 ** 20).toFixed(1);
    const reserve = RESERVE_BYTES / 2 ** 20;
    return new LogUnavailableError(
      `The disk of the event log is full (${left} MiB left, ${reserve} MiB are kept in reserve): free some space, nothing else is needed.`,
    );
  }

  /** Whether even the reserve is used up, by others: nothing may be written. */
  exhausted(): boolean {
    return this.#freeBytes() < LAST_BYTES && this.#unusedBytes() < MARGIN_BYTES;
  }
}
