import { type Fault, faultOf } from "./failures.ts";
import type { KafkaAccess } from "./options.ts";

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

/** Node's codes for a certificate that is not trusted, not valid, or not of that host. */
const CERTIFICATE =
  /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE/;
const TLS = /ERR_(SSL|TLS|OSSL)|EPROTO|before secure TLS connection/;
const CREDENTIALS = /SASL_AUTHENTICATION_FAILED|KafkaJSSASLAuthenticationError/;
const NO_SUCH_HOST = /^(ENOTFOUND|EAI_AGAIN)$/;
const CLOSED = /KafkaJSConnectionClosedError|KafkaJSRequestTimeoutError|ECONNRESET|EPIPE/;

const words = ({ words, code }: Fault): string =>
  code === "" || words.includes(code) ? words : `${words}, ${code}`;

/** What a plain connection that breaks without a word may mean, and what one with TLS. */
const silence = ({ tls, sasl }: KafkaAccess): string => {
  if (tls === undefined && sasl === undefined)
    return "If that port is for clients with TLS or SASL, they must be configured here too.";
  if (tls === undefined) return "If that port is for clients with TLS, it must be configured here too.";
  return "Check that this port speaks TLS, and that it accepts the client certificate if one is asked for.";
};

/** Says what kept the log from being opened, where, and what to do. */
export const startErrorOf = (access: KafkaAccess, error: unknown): KafkaStartError => {
  if (error instanceof KafkaStartError) return error;
  if (error instanceof Error && error.cause instanceof KafkaStartError) return error.cause;
  const fault = faultOf(error);
  const at = fault.broker ?? access.brokers.join(", ");
  const kind = `${fault.name} ${fault.code}`;
  const made = (problem: KafkaStartProblem, message: string) =>
    new KafkaStartError(problem, message, { cause: error });
  if (CREDENTIALS.test(kind) || fault.code === "UNSUPPORTED_SASL_MECHANISM") {
    const who = access.sasl
      ? `${access.sasl.mechanism} user "${access.sasl.username}"`
      : "a client without SASL";
    return made(
      "kafka_credentials_refused",
      `Kafka at ${at} refused ${who}: ${words(fault)}.\nCheck the user, its password and the SASL mechanism.`,
    );
  }
  if (fault.code.endsWith("AUTHORIZATION_FAILED")) {
    const who = access.sasl === undefined ? "This client" : `User "${access.sasl.username}"`;
    return made(
      "kafka_not_authorised",
      `${who} may not do what the service needs on Kafka at ${at}: ${words(fault)}.\n` +
        "Grant it Create, Describe, DescribeConfigs, Read, Write and Delete on its topics, Read and Delete on its groups.",
    );
  }
  if (CERTIFICATE.test(fault.code))
    return made(
      "kafka_tls_failed",
      `The certificate of Kafka at ${at} is not accepted: ${words(fault)}.\nGive the authority (CA) that signed it, and name brokers as the certificate does.`,
    );
  if (TLS.test(`${fault.code} ${fault.words}`))
    return made(
      "kafka_tls_failed",
      `TLS with Kafka at ${at} fails: ${words(fault)}.\nCheck that this port speaks TLS, and the client certificate and its key.`,
    );
  if (NO_SUCH_HOST.test(fault.code))
    return made(
      "kafka_unreachable",
      `There is no host of that name: Kafka at ${at} (${words(fault)}).\nCheck KAFKA_BROKERS.`,
    );
  const hint = CLOSED.test(kind)
    ? silence(access)
    : "Check KAFKA_BROKERS, that the brokers run, and the network between.";
  return made("kafka_unreachable", `Kafka at ${at} cannot be reached: ${words(fault)}.\n${hint}`);
};
