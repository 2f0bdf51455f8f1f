import { literal } from "./literal.ts";

/** Formats whose rows the engine reads from a file. */
const FORMATS = ["Native", "TabSeparated", "JSONEachRow"] as const;

/** An insert as `@clickhouse/client` writes it: `INSERT INTO table (columns) FORMAT name`, the rows in the body. */
export interface InsertStatement {
  /** The table, and in parentheses the columns if any are named. */
  readonly into: string;
  readonly format: (typeof FORMATS)[number];
}

const INSERT = /^\s*INSERT\s+INTO\s+([A-Za-z0-9_.]+)\s*(?:\(([^()]*)\))?\s*FORMAT\s+([A-Za-z0-9]+)\s*$/i;
const SETTING_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const READS = /^\s*(?:SELECT|WITH)\b/i;

/** What only ClickHouse's HTTP server knows; the engine would refuse it. */
const OF_HTTP_ONLY = new Set([
  "wait_end_of_query",
  "send_progress_in_http_headers",
  "http_headers_progress_interval_ms",
  "http_response_buffer_size",
  "http_write_exception_in_output_format",
  "enable_http_compression",
  "http_zlib_compression_level",
  "buffer_size",
]);
const OF_REQUEST = new Set(["query", "query_id", "database", "default_format", "session_id", "role"]);

/** Null when the query is no insert whose rows are in the body. */
export const parseInsert = (query: string): InsertStatement | null => {
  const [, table, columns, name] = INSERT.exec(query) ?? [];
  const format = FORMATS.find((known) => known === name);
  if (table === undefined || format === undefined) return null;
  return { into: columns === undefined ? table : `${table} (${columns})`, format };
};

/** The settings among a request's URL parameters. Throws RangeError at a name that could not be one. */
export const settingsOf = (search: URLSearchParams): Record<string, string> => {
  const settings: Record<string, string> = {};
  for (const [name, value] of search) {
    if (OF_REQUEST.has(name) || OF_HTTP_ONLY.has(name) || name.startsWith("param_")) continue;
    if (!SETTING_NAME.test(name)) throw new RangeError(`no name of a setting: ${JSON.stringify(name)}`);
    settings[name] = value;
  }
  return settings;
};

type SettingsGiven = Readonly<Record<string, string>>;

/** Inside the query: set on the connection they would stay there for the next one. */
const followedBy = (query: string, settings: SettingsGiven): string => {
  const list = Object.entries(settings).map(([name, value]) => `${name} = ${literal(value)}`);
  return list.length === 0 ? query : `${query}\nSETTINGS ${list.join(", ")}`;
};

/** Only reads may have settings (after CREATE TABLE they would mean the table's). Throws RangeError for others. */
export const withSettings = (query: string, settings: SettingsGiven): string => {
  if (Object.keys(settings).length > 0 && !READS.test(query))
    throw new RangeError("settings are taken with SELECT and INSERT only");
  return followedBy(query, settings);
};

/**
 * The insert with its rows in a file. Sent inline, behind the statement, they cost the engine 15 ns a byte before any
 * of it is parsed: more than all the rest of the insert.
 */
export const insertFrom = (
  { into, format }: InsertStatement,
  path: string,
  settings: SettingsGiven,
): string => followedBy(`INSERT INTO ${into} SELECT * FROM file(${literal(path)}, ${format})`, settings);
