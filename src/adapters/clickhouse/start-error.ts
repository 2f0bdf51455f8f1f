import { EngineStartError } from "../engine-start-error.ts";

export type ClickHouseStartProblem =
  | "clickhouse_unreachable"
  | "clickhouse_credentials_refused"
  | "clickhouse_tls_failed"
  | "clickhouse_not_permitted"
  | "clickhouse_too_old"
  | "clickhouse_not_clickhouse"
  | "clickhouse_cluster_unsuitable"
  | "clickhouse_failed";

export class ClickHouseStartError extends EngineStartError<ClickHouseStartProblem> {
  override readonly name = "ClickHouseStartError";
}
