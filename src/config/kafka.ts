import { z } from "zod";
import { flag, type Outcome, oneOf, text, whole } from "./fields.ts";
import type { ReadFile } from "./files.ts";
import { readCa, readTls } from "./tls.ts";

const BROKER = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):([1-9]\d{0,4})$/i;
const brokers = z.string().transform((list, context) => {
  const addresses = list.split(",").map((address) => address.trim());
  if (addresses.every((address) => BROKER.test(address))) return addresses;
  context.addIssue({ code: "custom", message: "must be host:port, several separated by commas" });
  return z.NEVER;
});

const topicPrefix = z
  .string()
  .regex(/^[a-zA-Z0-9._-]{1,100}$/, "must be 1 to 100 letters, digits, dots, underscores or dashes");

/** The variables of Kafka. */
export const kafkaFields = {
  KAFKA_BROKERS: brokers.optional(),
  KAFKA_TOPIC_PREFIX: topicPrefix.default("signals."),
  KAFKA_REPLICATION: whole("a replication factor", 1, 15).optional(),
  KAFKA_TLS: flag.default(false),
  KAFKA_CA_FILE: text.optional(),
  KAFKA_CERT_FILE: text.optional(),
  KAFKA_KEY_FILE: text.optional(),
  KAFKA_SASL: oneOf(["plain", "scram-sha-256", "scram-sha-512"]).optional(),
  KAFKA_USER: text.optional(),
  KAFKA_PASSWORD: text.optional(),
};
const Kafka = z.object(kafkaFields);
type KafkaVariables = z.infer<typeof Kafka>;

export interface KafkaSettings {
  readonly brokers: readonly string[];
  readonly topicPrefix: string;
  /** Null: three, or as many as there are brokers. */
  readonly replication: number | null;
  /** Null: in clear text. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string } | null;
  readonly sasl: {
    readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512";
    readonly username: string;
    readonly password: string;
  } | null;
}

const saslOf = ({ KAFKA_SASL, KAFKA_USER, KAFKA_PASSWORD }: KafkaVariables) => {
  const all = { KAFKA_SASL, KAFKA_USER, KAFKA_PASSWORD };
  if (KAFKA_SASL !== undefined && KAFKA_USER !== undefined && KAFKA_PASSWORD !== undefined)
    return { sasl: { mechanism: KAFKA_SASL, username: KAFKA_USER, password: KAFKA_PASSWORD } };
  const missing = Object.entries(all).filter(([, value]) => value === undefined);
  if (missing.length === 3) return { sasl: null };
  const message = "is missing: KAFKA_SASL, KAFKA_USER and KAFKA_PASSWORD belong together";
  return { mistakes: missing.map(([variable]) => ({ variable, message })) };
};

const kafkaTlsOf = (variables: KafkaVariables, readFile: ReadFile) => {
  const { KAFKA_TLS, KAFKA_CA_FILE, KAFKA_CERT_FILE, KAFKA_KEY_FILE } = variables;
  const files = { KAFKA_CA_FILE, KAFKA_CERT_FILE, KAFKA_KEY_FILE };
  if (!KAFKA_TLS) {
    const given = Object.entries(files).filter(([, path]) => path !== undefined);
    const message = "has no effect: TLS is used when KAFKA_TLS is true";
    const mistakes = given.map(([variable]) => ({ variable, message }));
    return mistakes.length > 0 ? { mistakes } : { tls: null };
  }
  const ca = readCa("KAFKA_CA_FILE", KAFKA_CA_FILE, readFile);
  const cert = ["KAFKA_CERT_FILE", KAFKA_CERT_FILE] as const;
  const key = ["KAFKA_KEY_FILE", KAFKA_KEY_FILE] as const;
  const own = readTls({ cert, key }, readFile);
  if ("mistakes" in ca || "mistakes" in own)
    return { mistakes: [ca, own].flatMap((read) => ("mistakes" in read ? read.mistakes : [])) };
  return { tls: { ...ca, ...own.tls } };
};

/** What the variables of Kafka mean together, their files read; null: not used. */
export const kafkaOf = (variables: KafkaVariables, readFile: ReadFile): Outcome<KafkaSettings | null> => {
  const { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: topicPrefix, KAFKA_REPLICATION } = variables;
  if (brokers === undefined) return { settings: null };
  const sasl = saslOf(variables);
  const tls = kafkaTlsOf(variables, readFile);
  if ("mistakes" in sasl || "mistakes" in tls)
    return { mistakes: [sasl, tls].flatMap((read) => ("mistakes" in read ? read.mistakes : [])) };
  return { settings: { brokers, topicPrefix, replication: KAFKA_REPLICATION ?? null, ...tls, ...sasl } };
};
