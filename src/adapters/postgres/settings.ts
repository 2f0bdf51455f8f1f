import pg, { type ClientConfig } from "pg";
import type { PostgresAccess } from "./options.ts";

/**
 * Waiting ends where it helps nobody: a lock that is held longer, a statement that takes longer, and a transaction of a
 * process that stands still in its middle, which would hold up every writer.
 */
const LOCK_MAX_MS = 10_000;
const STATEMENT_MAX_MS = 15_000;
const IDLE_IN_TRANSACTION_MAX_MS = 5_000;
/** Longer than the server's own limit, so that a server which answers says why. */
const ANSWER_MAX_MS = 20_000;
const CONNECT_MAX_MS = 10_000;
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
export const clientConfig = (access: PostgresAccess): ClientConfig => ({
  ...secured(access),
  application_name: "signal-optimization-service",
  types,
  connectionTimeoutMillis: CONNECT_MAX_MS,
  query_timeout: ANSWER_MAX_MS,
  statement_timeout: STATEMENT_MAX_MS,
  lock_timeout: LOCK_MAX_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MAX_MS,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
});
