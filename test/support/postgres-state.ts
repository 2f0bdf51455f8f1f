import { asked } from "./postgres.ts";

/** Whoever is still in the database goes, and with their sessions what they hold: locks, listening, temporary tables. */
export const SEND_AWAY = `
  select pg_terminate_backend(pid, 10000) from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;

export const tablesAt = async (url: string): Promise<string[]> => {
  const sql = "select format('%I', tablename) as name from pg_tables where schemaname = 'public'";
  return (await asked<{ name: string }>(url, sql)).map(({ name }) => name);
};

/** Statements that leave in the tables the rows that are there now, and no others. */
export const restoring = async (url: string, tables: readonly string[]): Promise<string> => {
  const insertions = tables.map((table) => {
    const insertion = `insert into ${table} select * from json_populate_recordset(null::${table}, %L)`;
    return `select format('${insertion}', json_agg(t)) as sql from ${table} t having count(*) > 0`;
  });
  const rows = await asked<{ sql: string }>(url, insertions.join(" union all "));
  // In one statement, for rows refer to each other.
  const deletions = tables.map((table, n) => `_${n} as (delete from ${table})`);
  return [`with ${deletions} select`, ...rows.map(({ sql }) => sql)].join(";\n");
};

/**
 * What else a test can leave behind, each as a query of rows. Copies of a database have its object ids; those from 16384
 * on are not of the server itself.
 */
const DEFINITIONS_AND_SESSIONS = [
  "select oid, relname, relkind, relnatts, reloptions from pg_class where oid >= 16384 and relpersistence <> 't'",
  "select attrelid, attnum, attname, atttypid, attnotnull from pg_attribute where attrelid >= 16384",
  "select oid, conname, pg_get_constraintdef(oid) from pg_constraint where oid >= 16384",
  "select indexrelid, indisvalid, indisready from pg_index where indexrelid >= 16384",
  "select oid, tgname, tgenabled from pg_trigger where oid >= 16384",
  "select oid, proname, prosrc from pg_proc where oid >= 16384",
  "select oid, nspname from pg_namespace where nspname !~ '^pg_(toast_)?temp'",
  "select oid, extname, extversion from pg_extension",
  "select oid from pg_largeobject_metadata",
  "select * from pg_sequences",
  `select setrole, setconfig from pg_db_role_setting
     join pg_database on pg_database.oid = setdatabase where datname = current_database()`,
  "select gid from pg_prepared_xacts where database = current_database()",
  `select pid from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  `select pid from pg_locks join pg_database on pg_database.oid = database
     where datname = current_database() and locktype = 'advisory'`,
];

const textOf = (rows: string): string =>
  `(select string_agg(t::text, ' ' order by t::text) from (${rows}) t)`;

/** A query of one text that says all rows of the tables, and definitions, settings and the sessions of others. */
export const stateOf = (tables: readonly string[]): string => {
  const rows = tables.map((table) => `select '${table}', t::text from ${table} t`).join(" union all ");
  return `select md5(concat_ws(';', ${[rows, ...DEFINITIONS_AND_SESSIONS].map(textOf)})) as state`;
};
