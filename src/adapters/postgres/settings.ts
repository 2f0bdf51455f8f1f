import pg, { type ClientConfig } from "pg";
import type { PostgresAccess } from "./options.ts";

/** Waiting ends where it helps nobody; all in ms. */
export interface PostgresLimits {
  /** For a connection: until it is made, or comes free. */
  readonly connectMs: number;
  /** For a lock that another holds. */
  readonly lockMs: number;
  /** Of a statement's run, by the server, which says why it ends it. */
  readonly statementMs: number;
  /** For an answer from a server that says nothing at all: longer than `statementMs`. */
  readonly answerMs: number;
  /** Of a transaction whose process stands still in its middle: it would hold up every writer. */
  readonly idleInTransactionMs: number;
}

const LIMITS: PostgresLimits = {
  connectMs: 10_000,
  lockMs: 10_000,
  statementMs: 15_000,
  answerMs: 20_000,
  idleInTransactionMs: 5_000,
};
const KEEP_ALIVE_MS = 10_000;

const INT8 = pg.types.builtins.INT8;

/** 64-bit integers as numbers: those kept here are counts, positions and Unix ms, all below 2^53. */
const types: NonNullable<ClientConfig["types"]> = {
  getTypeParser: (oid, format) =>
    oid === INT8 && format !== "binary" ? Number : pg.types.getTypeParser(oid, format),
};

/** With an authority of our own, TLS and its whole check are on; the URL's weaker words are put aside. */
const secured = ({ url, ca }: PostgresAccess): ClientConfig => {
  if (ca === null) return { connectionString: url };
  const plain = new URL(url);
  for (const name of ["ssl", "sslmode", "sslrootcert"]) plain.searchParams.delete(name);
  return { connectionString: plain.href, ssl: { ca, rejectUnauthorized: true } };
};

/** How every connection is made. */
export const clientConfig = (access: PostgresAccess, limits: Partial<PostgresLimits> = {}): ClientConfig => {
  const { connectMs, lockMs, statementMs, answerMs, idleInTransactionMs } = { ...LIMITS, ...limits };
  return {
    ...secured(access),
    application_name: "signal-optimization-service",
    types,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
};
