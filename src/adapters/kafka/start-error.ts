/** The name of what is wrong, for log lines and for those who decide by it. */
export type KafkaStartProblem =
  | "kafka_unreachable"
  | "kafka_credentials_refused"
  | "kafka_tls_failed"
  | "kafka_not_authorised"
  | "kafka_too_old"
  | "kafka_topic_unsuitable"
  | "kafka_log_unreadable";

/** The log cannot be opened, for a reason that whoever runs the service or the cluster can mend. No record was touched. */
export class KafkaStartError extends Error {
  override readonly name = "KafkaStartError";
  readonly problem: KafkaStartProblem;

  constructor(problem: KafkaStartProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}
