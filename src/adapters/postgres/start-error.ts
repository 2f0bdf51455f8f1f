/** The name of what is wrong, for log lines and for those who decide by it. */
export type PostgresStartProblem =
  | "postgres_unreachable"
  | "postgres_credentials_refused"
  | "postgres_database_unknown"
  | "postgres_tls_failed"
  | "postgres_too_old"
  | "postgres_not_authorised"
  | "postgres_read_only"
  | "postgres_encoding_unsuitable";

/** Control data cannot be opened, for a reason that whoever runs the service or the database can mend. */
export class PostgresStartError extends Error {
  override readonly name = "PostgresStartError";
  readonly problem: PostgresStartProblem;

  constructor(problem: PostgresStartProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}
