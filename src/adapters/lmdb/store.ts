import { mkdir } from "node:fs/promises";
import type { Database, DatabaseOptions, RootDatabase, RootDatabaseOptions } from "lmdb";
import { z } from "zod";

/** Room in the address space, not on the disk: growing the map under running readers is what this avoids. */
const MAP_BYTES_MIN = 64 * 2 ** 30;

export interface Store {
  /** Records by `recordKey`; the version beside each is what envelope.ts says. */
  readonly records: Database<Uint8Array, Uint8Array>;
  /** Small facts of the log: facts.ts. */
  readonly facts: Database<Uint8Array, Uint8Array>;
  /** One transaction of the puts and removes that `work` makes; resolves when it is on the disk, rejects when it failed. */
  write(work: () => void): Promise<unknown>;
  /** Runs `work` in one transaction and returns when it is on the disk. For opening only: it blocks. */
  atOnce(work: () => void): void;
  /** Bytes of the pages that hold live records. */
  recordBytes(): number;
  /** About how much is free within the file. */
  unusedBytes(): number;
  close(): Promise<void>;
}

const Stats = z.object({
  pageSize: z.number(),
  treeBranchPageCount: z.number(),
  treeLeafPageCount: z.number(),
  overflowPages: z.number(),
  lastPageNumber: z.number(),
});

const recordBytes = (stats: z.infer<typeof Stats>): number =>
  stats.pageSize * (stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages);

const library = async (): Promise<typeof import("lmdb")> => {
  try {
    return await import("lmdb");
  } catch (cause) {
    throw new Error(
      "The embedded event log needs the optional package lmdb: install it (npm i lmdb), or set KAFKA_BROKERS to use Kafka.",
      { cause },
    );
  }
};

/** LMDB's wrapper gives every value in one buffer of its own, to be copied at once: into memory that is not zeroed first. */
const copied = {
  encode: (value: Uint8Array): Uint8Array => value,
  decode: (shared: Buffer, length: number): Uint8Array => {
    const value = Buffer.allocUnsafe(length);
    shared.copy(value, 0, 0, length);
    return value;
  },
};

const BINARY: DatabaseOptions = { encoding: "binary", keyEncoding: "binary" };
const RECORDS: RootDatabaseOptions = { ...BINARY, useVersions: true, encoder: copied };

const wrap = (root: RootDatabase<Uint8Array, Uint8Array>): Store => {
  const records = root.openDB<Uint8Array, Uint8Array>("records", RECORDS);
  const facts = root.openDB<Uint8Array, Uint8Array>("facts", BINARY);
  return {
    records,
    facts,
    write: (work) => root.batch(work),
    atOnce: (work) => root.transactionSync(work),
    recordBytes: () => recordBytes(Stats.parse(records.getStats())),
    unusedBytes: () => {
      const stats = Stats.parse(records.getStats());
      return (stats.lastPageNumber + 1) * stats.pageSize - recordBytes(stats);
    },
    close: () => root.close(),
  };
};

/**
 * Opens or makes the LMDB environment in `directory`. `overlappingSync` is off: a transaction is then visible to
 * readers only once it is on the disk, a failed sync fails its writes, and with group commit it costs nothing (57 k
 * against 60 k appends of 15 kB a second, at 64 at once). `eventTurnBatching` is off: group-commit.ts does that, and
 * the wrapper's own leaves a promise behind that nobody can handle when the transaction fails.
 */
export const openStore = async (directory: string, maxBytes: number): Promise<Store> => {
  const { open } = await library();
  await mkdir(directory, { recursive: true });
  return wrap(
    open<Uint8Array, Uint8Array>({
      path: directory,
      noSubdir: false,
      ...BINARY,
      maxDbs: 4,
      mapSize: Math.max(MAP_BYTES_MIN, 4 * maxBytes),
      overlappingSync: false,
      eventTurnBatching: false,
    }),
  );
};
