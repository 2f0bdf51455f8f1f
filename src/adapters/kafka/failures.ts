import { LogUnavailableError } from "../../ports/event-log.ts";

/** What an error says of itself: kafkajs wraps, and names protocol errors in `type` (kafka.apache.org/protocol). */
export interface Fault {
  readonly name: string;
  /** Of the protocol, such as NOT_ENOUGH_REPLICAS; or of Node, such as ECONNREFUSED. */
  readonly code: string;
  readonly words: string;
  readonly broker: string | null;
}

const text = (holder: object, key: string): string | null => {
  const value: unknown = Reflect.get(holder, key);
  return typeof value === "string" && value !== "" ? value : null;
};

const rootOf = (error: Error): Error => {
  const { cause } = error;
  return cause instanceof Error && cause !== error ? rootOf(cause) : error;
};

export const faultOf = (error: unknown): Fault => {
  if (!(error instanceof Error)) return { name: "", code: "", words: String(error), broker: null };
  const root = rootOf(error);
  const code = text(root, "type") ?? text(root, "code") ?? text(error, "type") ?? "";
  const broker = text(root, "broker") ?? text(error, "broker");
  return { name: root.name, code, words: root.message, broker };
};

/** The producer's count of records is not the broker's: only a new producer can go on. */
const OUT_OF_STEP = new Set([
  "OUT_OF_ORDER_SEQUENCE_NUMBER",
  "DUPLICATE_SEQUENCE_NUMBER",
  "UNKNOWN_PRODUCER_ID",
  "INVALID_PRODUCER_EPOCH",
  "INVALID_PRODUCER_ID_MAPPING",
  "PRODUCER_FENCED",
]);
/** Not done, and trying again does not help before somebody has changed something. */
const REFUSED = new Set([
  "OFFSET_OUT_OF_RANGE",
  "INVALID_REPLICATION_FACTOR",
  "INVALID_CONFIG",
  "INVALID_PARTITIONS",
  "SASL_AUTHENTICATION_FAILED",
  "UNSUPPORTED_SASL_MECHANISM",
  "MESSAGE_TOO_LARGE",
  "RECORD_LIST_TOO_LARGE",
  "INVALID_RECORD",
  "INVALID_TIMESTAMP",
  "INVALID_TOPIC_EXCEPTION",
  "POLICY_VIOLATION",
  "TOPIC_AUTHORIZATION_FAILED",
  "GROUP_AUTHORIZATION_FAILED",
  "CLUSTER_AUTHORIZATION_FAILED",
  "UNSUPPORTED_VERSION",
]);

export const isOutOfStep = (error: unknown): boolean => OUT_OF_STEP.has(faultOf(error).code);
export const isRefused = (error: unknown): boolean => {
  const { name, code } = faultOf(error);
  return REFUSED.has(code) || name === "KafkaJSSASLAuthenticationError" || name === "KafkaStartError";
};
/** Of a fetch of several partitions: the one that does not have the offset asked for; null for another failure. */
export const partitionOutOfRange = (error: unknown): number | null => {
  const partition: unknown =
    isOutOfRange(error) && error instanceof Error && "partition" in error ? error.partition : null;
  return typeof partition === "number" ? partition : null;
};
export const isOutOfRange = (error: unknown): boolean => faultOf(error).code === "OFFSET_OUT_OF_RANGE";

/** A coordinator that has only just started, or moved, says so for a moment. */
const SOON_WELL = new Set([
  "GROUP_LOAD_IN_PROGRESS",
  "GROUP_COORDINATOR_NOT_AVAILABLE",
  "NOT_COORDINATOR_FOR_GROUP",
]);
export const isSoonWell = (error: unknown): boolean => SOON_WELL.has(faultOf(error).code);

/** A failure as the port names it, with what kafkajs or the broker said. */
export const unavailable = (error: unknown): LogUnavailableError => {
  if (error instanceof LogUnavailableError) return error;
  const { code, words, broker } = faultOf(error);
  const where = broker === null ? "" : ` at ${broker}`;
  const what = code === "" || words.includes(code) ? words : `${words} (${code})`;
  return new LogUnavailableError(`Kafka${where} cannot be used: ${what.replace(/\.$/, "")}.`, {
    cause: error,
  });
};
