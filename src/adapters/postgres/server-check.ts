import { PostgresStartError } from "./start-error.ts";

const VERSION_MIN = 15;

const FACTS = `
  select current_setting('server_version_num')::int as version,
         current_setting('server_version') as "versionText",
         current_schema() as schema,
         current_setting('search_path') as path,
         pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as "readOnly",
         current_setting('server_encoding') as encoding,
         current_setting('synchronous_commit') = 'off' as "commitsLazily"`;

interface Asked {
  query(sql: string): Promise<{ readonly rows: readonly Facts[] }>;
}

interface Facts {
  readonly version: number;
  readonly versionText: string;
  readonly schema: string | null;
  readonly path: string;
  readonly readOnly: boolean;
  readonly encoding: string;
  readonly commitsLazily: boolean;
}

export interface SuitableServer {
  /** Where tables are made. */
  readonly schema: string;
  /** It tells a commit before it is durable unless it is asked not to. */
  readonly commitsLazily: boolean;
}

const problemOf = ({ version, versionText, schema, path, readOnly, encoding }: Facts) => {
  if (version < VERSION_MIN * 10_000)
    return new PostgresStartError(
      "postgres_too_old",
      `This is PostgreSQL ${versionText}; the service needs ${VERSION_MIN} or newer.\nUpgrade it, or name another server in DATABASE_URL.`,
    );
  if (readOnly)
    return new PostgresStartError(
      "postgres_read_only",
      "This PostgreSQL takes no writes: it is a standby, or set to read only.\nName the primary in DATABASE_URL.",
    );
  if (encoding !== "UTF8")
    return new PostgresStartError(
      "postgres_encoding_unsuitable",
      `The database has the encoding ${encoding}; names of signals may be in any language.\nCreate one with: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
    );
  if (schema === null)
    return new PostgresStartError(
      "postgres_not_authorised",
      `None of the schemas of the user's search_path (${path}) is there for it.\nCreate one, or set search_path for the user.`,
    );
  return null;
};

/** Rejects with PostgresStartError where the server is not one to keep control data. */
export const checkServer = async (client: Asked): Promise<SuitableServer> => {
  const { rows } = await client.query(FACTS);
  const [facts] = rows;
  if (facts === undefined) throw new Error("the server told nothing of itself");
  const problem = problemOf(facts);
  if (problem !== null) throw problem;
  return { schema: facts.schema ?? "", commitsLazily: facts.commitsLazily };
};
