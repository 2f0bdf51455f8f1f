/** The name of what is wrong, for log lines and for those who decide by it. */
export type ClickHouseStartProblem =
  | "clickhouse_unreachable"
  | "clickhouse_credentials_refused"
  | "clickhouse_tls_failed"
  | "clickhouse_not_permitted"
  | "clickhouse_too_old"
  | "clickhouse_not_clickhouse"
  | "clickhouse_cluster_unsuitable"
  | "clickhouse_failed";

/** The server cannot be used, for a reason that whoever runs the service or the server can mend. Nothing was deleted. */
export class ClickHouseStartError extends Error {
  override readonly name = "ClickHouseStartError";
  readonly problem: ClickHouseStartProblem;

  constructor(problem: ClickHouseStartProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}
