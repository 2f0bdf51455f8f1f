/** Tables under one path in Keeper are replicas of each other. */
export interface Cluster {
  readonly name: string;
  readonly database: string;
}

const CREATE = /^(CREATE (?:TABLE|MATERIALIZED VIEW|DATABASE) IF NOT EXISTS (\w+))/;
const DROP = /^DROP (?:TABLE|VIEW) IF EXISTS \w+$/;
const AS_IT_IS = /^(?:INSERT INTO|ALTER TABLE|SELECT) /;
const ENGINE = /\bENGINE = (\w*MergeTree)(?:\(([^()]*)\))?/;
const WINDOW = /\bnon_replicated_deduplication_window = (\d+)(,\s*)?/;
const WINDOW_SECONDS = 14 * 86_400;

/**
 * The path names the table and not its UUID: a replica that is added later finds the others by the same statement.
 * `{shard}` and `{replica}` are macros of each server's configuration.
 */
const replicatedEngine = (engine: string, given: string | undefined, path: string): string => {
  const own = given === undefined || given.trim() === "" ? [] : [given.trim()];
  return `ENGINE = Replicated${engine}(${[`'${path}'`, "'{replica}'", ...own].join(", ")})`;
};

const replicatedWindow = (statement: string): string => {
  const hasItsOwn = /(?<!non_)replicated_deduplication_window = /.test(statement);
  return statement.replace(WINDOW, (_, blocks: string, comma = "") =>
    hasItsOwn
      ? ""
      : `replicated_deduplication_window = ${blocks}, replicated_deduplication_window_seconds = ${WINDOW_SECONDS}${comma}`,
  );
};

/**
 * A statement of a migration, written for one server, for a cluster: made on every replica, of engines that replicate.
 * ALTER and INSERT are carried over by the tables themselves. Throws at a statement of another kind.
 */
export const onCluster = (statement: string, { name, database }: Cluster): string => {
  if (AS_IT_IS.test(statement)) return statement;
  if (DROP.test(statement)) return `${statement} ON CLUSTER \`${name}\``;
  const [, head, what] = CREATE.exec(statement) ?? [];
  if (head === undefined || what === undefined)
    throw new Error(`not known how to replicate: ${statement.split("\n")[0]}`);
  const path = `/clickhouse/tables/{shard}/${database}/${what}`;
  return replicatedWindow(statement)
    .replace(CREATE, `$1 ON CLUSTER \`${name}\``)
    .replace(ENGINE, (_, engine: string, given?: string) => replicatedEngine(engine, given, path));
};
