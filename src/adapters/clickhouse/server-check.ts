import { z } from "zod";
import type { Connection } from "./connection.ts";
import { type ClickHouseAccess, placeOf } from "./server-transport.ts";
import { ClickHouseStartError } from "./start-error.ts";
import type { ClusterOfReplicas } from "./transport.ts";

/**
 * The first version with long support that has every setting we send; the last of them to come was
 * `use_skip_indexes_if_final_exact_mode`, in 25.5 (system.settings_changes).
 */
const LEAST = { year: 25, release: 8 };

const checkVersion = async (connection: Connection, access: ClickHouseAccess): Promise<void> => {
  const [version] = await connection.select(z.unknown(), "SELECT version()");
  const place = placeOf(access);
  const [, year, release] = /^\["(\d+)\.(\d+)[^"]*"\]$/.exec(JSON.stringify(version) ?? "") ?? [];
  if (year === undefined || release === undefined)
    throw new ClickHouseStartError(
      "clickhouse_not_clickhouse",
      `What answers is no ClickHouse: ${place} does not say its version.\nCheck CLICKHOUSE_URL.`,
    );
  const isOlder =
    Number(year) < LEAST.year || (Number(year) === LEAST.year && Number(release) < LEAST.release);
  if (!isOlder) return;
  throw new ClickHouseStartError(
    "clickhouse_too_old",
    `ClickHouse at ${place} is version ${year}.${release}; the service needs ${LEAST.year}.${LEAST.release} or later.\nUpdate it.`,
  );
};

const unsuitable = (message: string) => new ClickHouseStartError("clickhouse_cluster_unsuitable", message);

/** One shard: a table's tokens are remembered per shard, and readings must be found wherever they are asked for. */
const replicasOf = async (connection: Connection, server: string, cluster: string): Promise<number> => {
  const rows = await connection.select(
    z.tuple([z.string(), z.number(), z.number()]),
    "SELECT cluster, uniqExact(shard_num), count() FROM system.clusters GROUP BY cluster ORDER BY cluster",
  );
  const [, shards, replicas] = rows.find(([name]) => name === cluster) ?? [];
  if (shards === undefined || replicas === undefined) {
    const known = rows.map(([name]) => name).join(", ") || "none";
    throw unsuitable(
      `${server} knows no cluster "${cluster}"; it knows: ${known}.\nCheck CLICKHOUSE_CLUSTER, or unset it for one server.`,
    );
  }
  if (shards === 1) return replicas;
  throw unsuitable(
    `The cluster "${cluster}" of ${server} has ${shards} shards; the service needs one, with as many replicas as you like.\nName such a cluster in CLICKHOUSE_CLUSTER.`,
  );
};

const MACROS = ["shard", "replica"];
const checkMacros = async (connection: Connection, server: string): Promise<void> => {
  const rows = await connection.select(z.tuple([z.string()]), "SELECT macro FROM system.macros");
  const missing = MACROS.filter((macro) => !rows.some(([name]) => name === macro));
  if (missing.length === 0) return;
  throw unsuitable(
    `${server} has no macro ${missing.join(" and no macro ")}, by which replicas tell each other apart.\nDefine it under <macros> in the configuration of every replica.`,
  );
};

/** CREATE TABLE leaves tables that are there as they are, and nobody would notice that they do not replicate. */
const checkEngines = async (connection: Connection, access: ClickHouseAccess): Promise<void> => {
  const { database, cluster } = access;
  const rows = await connection.select(
    z.tuple([z.string()]),
    `SELECT DISTINCT engine FROM system.tables
     WHERE database = {database:String} AND engine LIKE '%MergeTree' AND NOT startsWith(engine, 'Shared')`,
    { database },
  );
  const isReplicated = ([engine]: readonly [string]) => engine.startsWith("Replicated");
  if (rows.every((row) => isReplicated(row) === (cluster !== null))) return;
  const server = `ClickHouse at ${placeOf(access)}`;
  throw unsuitable(
    cluster === null
      ? `The tables of the database "${database}" of ${server} are replicated over a cluster.\nSet CLICKHOUSE_CLUSTER to its name.`
      : `The tables of the database "${database}" of ${server} were made without a cluster, and are not replicated.\nUnset CLICKHOUSE_CLUSTER, or begin with another CLICKHOUSE_DATABASE.`,
  );
};

/** Refuses, with words, what cannot keep the time series; gives the cluster, if one is named. Throws ClickHouseStartError. */
export const checkServer = async (
  connection: Connection,
  access: ClickHouseAccess,
): Promise<ClusterOfReplicas | null> => {
  const { cluster: name } = access;
  const server = `ClickHouse at ${placeOf(access)}`;
  await checkVersion(connection, access);
  const cluster = name === null ? null : { name, replicas: await replicasOf(connection, server, name) };
  if (cluster !== null) await checkMacros(connection, server);
  await checkEngines(connection, access);
  return cluster;
};
