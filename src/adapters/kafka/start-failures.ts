import { type Fault, faultOf } from "./failures.ts";
import type { KafkaAccess } from "./options.ts";
import { KafkaStartError, type KafkaStartProblem } from "./start-error.ts";

interface Case {
  readonly problem: KafkaStartProblem;
  /** Of `name code words`, as kafkajs, the protocol and Node say them. */
  readonly pattern: RegExp;
  readonly what: (where: string, access: KafkaAccess) => string;
  readonly remedy: (access: KafkaAccess) => string;
}

/** What a connection that breaks without a word may mean. */
const silence = ({ tls, sasl }: KafkaAccess): string => {
  if (tls !== undefined)
    return "Check that the port speaks TLS, and whether it asks for a client certificate.";
  if (sasl !== undefined) return "If that port is for clients with TLS, set KAFKA_TLS.";
  return "If that port is for clients with TLS or SASL, set KAFKA_TLS or KAFKA_SASL.";
};
const client = ({ sasl }: KafkaAccess): string =>
  sasl === undefined ? "a client without SASL" : `${sasl.mechanism} user "${sasl.username}"`;
const unreachable = (where: string): string => `Kafka at ${where} cannot be reached`;

/** The first that fits. */
const CASES: readonly Case[] = [
  {
    problem: "kafka_credentials_refused",
    pattern: /SASL_AUTHENTICATION_FAILED|UNSUPPORTED_SASL_MECHANISM|KafkaJSSASLAuthenticationError/,
    what: (where, access) => `Kafka at ${where} refused ${client(access)}`,
    remedy: () => "Check KAFKA_USER, KAFKA_PASSWORD and KAFKA_SASL.",
  },
  {
    problem: "kafka_not_authorised",
    pattern: /AUTHORIZATION_FAILED/,
    what: (where, access) => `Kafka at ${where} does not let ${client(access)} do what the service needs`,
    remedy: () =>
      "Allow Create, Describe, DescribeConfigs, Read, Write and Delete on its topics, and Read on its groups.",
  },
  {
    problem: "kafka_tls_failed",
    pattern: / \S*(SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/,
    what: (where) => `The certificate of Kafka at ${where} is not accepted`,
    remedy: () =>
      "Set KAFKA_CA_FILE to the authority that signed it, and name brokers in KAFKA_BROKERS as it names them.",
  },
  {
    problem: "kafka_tls_failed",
    pattern: /ERR_(SSL|TLS|OSSL)|EPROTO|before secure TLS connection/,
    what: (where) => `TLS with Kafka at ${where} fails`,
    remedy: () =>
      "Check that this port speaks TLS (KAFKA_TLS), and KAFKA_CERT_FILE and KAFKA_KEY_FILE if they are set.",
  },
  {
    problem: "kafka_unreachable",
    pattern: /ENOTFOUND|EAI_AGAIN/,
    what: (where) => `There is no host of that name: Kafka at ${where}`,
    remedy: () => "Check KAFKA_BROKERS.",
  },
  {
    problem: "kafka_unreachable",
    pattern: /KafkaJSConnectionClosedError|KafkaJSRequestTimeoutError|ECONNRESET|EPIPE/,
    what: unreachable,
    remedy: silence,
  },
  {
    problem: "kafka_unreachable",
    pattern: /LEADER_NOT_AVAILABLE|NOT_LEADER_FOR_PARTITION/,
    what: (where) => `Partitions on Kafka at ${where} have no leader`,
    remedy: () => "Check that all brokers run, and which partitions are offline.",
  },
  {
    problem: "kafka_unreachable",
    pattern: /./,
    what: unreachable,
    remedy: () => "Check KAFKA_BROKERS, that the brokers run, and the network between.",
  },
];

const wordsOf = ({ words, code }: Fault): string => {
  const said = words.replace(/\.$/, "");
  return code === "" || said.includes(code) ? said : `${said}, ${code}`;
};

const OUR_MISTAKES = new Set(["TypeError", "ReferenceError", "RangeError", "SyntaxError", "AssertionError"]);

/** What kept the log from being opened, where, and what to do about it; a mistake of this program stays what it is. */
export const startFailure = (access: KafkaAccess, error: unknown): unknown => {
  for (let one = error; one instanceof Error; one = one.cause) if (one instanceof KafkaStartError) return one;
  const fault = faultOf(error);
  if (OUR_MISTAKES.has(fault.name)) return error;
  const where = fault.broker ?? access.brokers.join(", ");
  const found = CASES.find(({ pattern }) => pattern.test(`${fault.name} ${fault.code} ${fault.words}`));
  if (found === undefined) return error;
  const message = `${found.what(where, access)}: ${wordsOf(fault)}.\n${found.remedy(access)}`;
  return new KafkaStartError(found.problem, message, { cause: error });
};
