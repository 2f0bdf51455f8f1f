import { EngineStartError } from "../engine-start-error.ts";

export type PostgresStartProblem =
  | "postgres_unreachable"
  | "postgres_credentials_refused"
  | "postgres_database_unknown"
  | "postgres_tls_failed"
  | "postgres_too_old"
  | "postgres_not_authorised"
  | "postgres_read_only"
  | "postgres_encoding_unsuitable";

export class PostgresStartError extends EngineStartError<PostgresStartProblem> {
  override readonly name = "PostgresStartError";
}
