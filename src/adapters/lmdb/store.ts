import { mkdir } from "node:fs/promises";
import type { Database, RootDatabase } from "lmdb";
import { z } from "zod";

/** Room in the address space, not on the disk: growing the map under running readers is what this avoids. */
const MAP_BYTES_MIN = 64 * 2 ** 30;

export interface Store {
  /** Records by `recordKey`; the version beside each is what envelope.ts says. */
  readonly records: Database<Uint8Array, Uint8Array>;
  /** Small facts of the log: facts.ts. */
  readonly facts: Database<Uint8Array, Uint8Array>;
  /** Resolves when everything handed over so far is on the disk; rejects when its transaction failed. */
  durable(): Promise<unknown>;
  /** Runs `work` in one transaction and returns when it is on the disk. For opening only: it blocks. */
  atOnce(work: () => void): void;
  /** Bytes of the pages that hold live records. */
  recordBytes(): number;
  close(): Promise<void>;
}

const Stats = z.object({
  pageSize: z.number(),
  treeBranchPageCount: z.number(),
  treeLeafPageCount: z.number(),
  overflowPages: z.number(),
});

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

const wrap = (root: RootDatabase<Uint8Array, Uint8Array>): Store => {
  const binary = { encoding: "binary", keyEncoding: "binary" } as const;
  const records = root.openDB<Uint8Array, Uint8Array>("records", { ...binary, useVersions: true, encoder: copied });
  const facts = root.openDB<Uint8Array, Uint8Array>("facts", binary);
  return {
    records,
    facts,
    durable: async () => await root.flushed,
    atOnce: (work) => root.transactionSync(work),
    recordBytes: () => {
      const stats = Stats.parse(records.getStats());
      return stats.pageSize * (stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages);
    },
    close: () => root.close(),
  };
};

/**
 * Opens or makes the LMDB environment in `directory`. `overlappingSync` is off: a transaction is then visible to
 * readers only once it is on the disk, a failed sync fails its writes, and with group commit it costs nothing (57 k
 * against 60 k appends of 15 kB a second, at 64 at once).
 */
export const openStore = async (directory: string, maxBytes: number): Promise<Store> => {
  const { open } = await library();
  await mkdir(directory, { recursive: true });
  return wrap(
    open<Uint8Array, Uint8Array>({
      path: directory,
      noSubdir: false,
      encoding: "binary",
      keyEncoding: "binary",
      maxDbs: 4,
      mapSize: Math.max(MAP_BYTES_MIN, 4 * maxBytes),
      overlappingSync: false,
    }),
  );
};
