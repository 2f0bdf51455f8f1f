import { CompiledQuery, sql } from "kysely";
import pg, { type ClientBase, type ClientConfig, type Pool, type PoolConfig } from "pg";
import type { ControlStore } from "../../ports/control-store.ts";
import type { ControlEngine } from "../control/engine.ts";
import { openControlStore } from "../control/store.ts";
import { startWriteProbe } from "../control/write-probe.ts";
import { poolDialect } from "./dialect.ts";
import { createFailures, type Failures } from "./failures.ts";
import { PostgresLocks } from "./locks.ts";
import { postgresMetrics } from "./metrics.ts";
import type { PostgresControlOptions } from "./options.ts";
import { indexSearch } from "./search-index.ts";
import { checkServer, type SuitableServer } from "./server-check.ts";
import { clientConfig } from "./settings.ts";
import { PostgresStartError } from "./start-error.ts";
import { startFailure } from "./start-failures.ts";

const IDLE_MAX_MS = 60_000;
/** So that connections find a server that took another's place behind the same name. */
const LIFETIME_MAX_S = 1_800;
/** A write that changes nothing. */
const WRITE = CompiledQuery.raw("update outbox_counter set position = position where name = 'relayed'");

/** Text sorts by code point whatever the database's locale, as on every other engine. */
const COLUMNS = { text: sql`text collate "C"`, bytes: sql`bytea` };

/** Asked over a connection of its own, so that a server that cannot be used is told by name. */
const serverOf = async (config: ClientConfig): Promise<SuitableServer> => {
  const client = new pg.Client(config);
  // Told by what is asked; without a listener it would end the process.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await checkServer(client);
  } finally {
    await client.end().catch(() => undefined);
  }
};

const openPool = (config: PoolConfig, failures: Failures): Pool => {
  const pool = new pg.Pool({ ...config, idleTimeoutMillis: IDLE_MAX_MS, maxLifetimeSeconds: LIFETIME_MAX_S });
  // Also while somebody has the connection but asks nothing: the pool listens only to those that nobody has.
  pool.on("connect", (client) => client.on("error", (error) => void failures.named(error)));
  pool.on("error", () => undefined);
  return pool;
};

/**
 * Control data in a PostgreSQL database, every commit durable before it is told. Rejects with PostgresStartError, or as
 * `openControlStore` does.
 */
export const openPostgresControl = async (options: PostgresControlOptions): Promise<ControlStore> => {
  const { connectionsMax, telemetry, clock } = options;
  const config = clientConfig(options, options.limits);
  const failures = createFailures(telemetry);
  const { schema, commitsLazily } = await serverOf(config).catch((error: unknown) => {
    throw error instanceof PostgresStartError ? error : startFailure(options, error);
  });
  const onConnect = async (client: ClientBase) => {
    if (commitsLazily) await client.query("set synchronous_commit = on");
  };
  const pool = openPool({ ...config, max: connectionsMax, onConnect }, failures);
  const { waiting } = postgresMetrics(telemetry.metrics);
  const dialect = poolDialect({ pool, failures, waiting });
  const locks = new PostgresLocks({ config, schema, failures, clock });
  const health = () => failures.health();
  const engine: ControlEngine = {
    dialect,
    columns: COLUMNS,
    rowLocks: true,
    schema,
    locks,
    indexSearch: () => indexSearch(pool, telemetry.log),
    health,
  };
  const stopProbe = startWriteProbe(failures.availability, () => pool.query(WRITE.sql), clock);
  const closeRest = async () => {
    await stopProbe();
    await locks.close();
  };
  try {
    const store = await openControlStore(engine, options);
    const close = async () => {
      await closeRest();
      await store.close();
    };
    return { ...store, close };
  } catch (error) {
    await closeRest();
    const start = startFailure(options, error instanceof Error ? (error.cause ?? error) : error);
    throw start instanceof PostgresStartError ? start : error;
  }
};
