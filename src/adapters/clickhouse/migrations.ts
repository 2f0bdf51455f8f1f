import { readdir, readFile } from "node:fs/promises";
import { z } from "zod";
import { type Cluster, onCluster } from "./cluster-sql.ts";
import type { Connection } from "./connection.ts";
import { exactlyOnce } from "./exactly-once.ts";

const DIRECTORY = new URL("../../../schemas/clickhouse/", import.meta.url);

/** The database was last used by a newer program. */
export class SchemaTooNewError extends Error {
  override readonly name = "SchemaTooNewError";
}

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: readonly string[];
}

/** Statements end with a semicolon at the end of a line; lines that begin with `--` are comments. */
const statementsOf = (text: string): string[] =>
  text
    .replace(/^--.*$/gm, "")
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");

const readMigrations = async (): Promise<Migration[]> => {
  const names = (await readdir(DIRECTORY)).filter((name) => /^\d{4}-.+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => ({
      version: Number(name.slice(0, 4)),
      name,
      statements: statementsOf(await readFile(new URL(name, DIRECTORY), "utf8")),
    })),
  );
};

/** Every statement of `schemas/clickhouse/`, in order, as it is sent: to one server, or to a cluster. */
export const migrationStatements = async (cluster?: Cluster): Promise<string[]> =>
  (await readMigrations()).flatMap(({ statements }) => statements.map((each) => written(each, cluster)));

const written = (statement: string, cluster?: Cluster): string =>
  cluster === undefined ? statement : onCluster(statement, cluster);

export const CREATE_TABLE = `
CREATE TABLE IF NOT EXISTS schema_migrations (version UInt32, name String, applied_at DateTime DEFAULT now())
ENGINE = MergeTree ORDER BY version
SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1`;

const record = (connection: Connection, { version, name }: Migration): Promise<void> =>
  connection.insert({
    table: "schema_migrations",
    columns: ["version", "name"],
    settings: () => exactlyOnce(`schema_migrations ${version}`),
    format: "TabSeparated",
    body: [new TextEncoder().encode(`${version}\t${name}\n`)],
  });

/** Makes the database in an engine that lacks it; `connection` must be one to its database `default`. */
export const createDatabase = async (
  connection: Connection,
  database: string,
  cluster?: Cluster,
): Promise<void> => {
  const found = await connection.select(
    z.tuple([z.string()]),
    "SELECT name FROM system.databases WHERE name = {database:String}",
    { database },
  );
  if (found.length > 0) return;
  await connection.command(written(`CREATE DATABASE IF NOT EXISTS ${database}`, cluster));
};

/** Not made anew at each start: on a cluster that would wait for a replica that is down. */
const createTable = async (connection: Connection, cluster?: Cluster): Promise<void> => {
  const found = await connection.select(
    z.tuple([z.string()]),
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND name = 'schema_migrations'",
  );
  if (found.length === 0) await connection.command(written(CREATE_TABLE.trim(), cluster));
};

/**
 * Applies what `schemas/clickhouse/` has and the database lacks, in order; every statement may run twice, as after a
 * crash between it and its record, or by two programs at once. Throws SchemaTooNewError.
 */
export const migrate = async (connection: Connection, cluster?: Cluster): Promise<void> => {
  const migrations = await readMigrations();
  const known = migrations.at(-1)?.version ?? 0;
  await createTable(connection, cluster);
  const rows = await connection.select(z.tuple([z.number()]), "SELECT version FROM schema_migrations");
  const applied = new Set(rows.map(([version]) => version));
  const newest = Math.max(0, ...applied);
  if (newest > known) {
    throw new SchemaTooNewError(
      `the time series has schema ${newest}, this program knows ${known}: it was used by a newer version, start that one`,
    );
  }
  for (const migration of migrations) {
    if (applied.has(migration.version)) continue;
    for (const statement of migration.statements) await connection.command(written(statement, cluster));
    await record(connection, migration);
  }
};
