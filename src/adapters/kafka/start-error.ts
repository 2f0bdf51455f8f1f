import { EngineStartError } from "../engine-start-error.ts";

export type KafkaStartProblem =
  | "kafka_unreachable"
  | "kafka_credentials_refused"
  | "kafka_tls_failed"
  | "kafka_not_authorised"
  | "kafka_too_old"
  | "kafka_topic_unsuitable"
  | "kafka_log_unreadable"
  | "kafka_log_shortened";

export class KafkaStartError extends EngineStartError<KafkaStartProblem> {
  override readonly name = "KafkaStartError";
}
