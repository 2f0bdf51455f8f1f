import type { Retention } from "../adapters/clickhouse/retention.ts";
import type { Config } from "../config/config.ts";
import type { ClickHouseSettings, PostgresSettings } from "../config/engines.ts";
import type { KafkaSettings } from "../config/kafka.ts";
import type { ControlStore } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { TimeSeries } from "../ports/time-series.ts";

// Clients of engines that run elsewhere: each process, and each of its threads, has its own. Their programs are loaded
// only where they are used, for a thread holds a copy of all that it has loaded.

/** Unless PARTITIONS says otherwise: many workers share these. */
const KAFKA_PARTITIONS = 12;

export const openKafka = async (
  { brokers, topicPrefix, tls, sasl, replication }: KafkaSettings,
  { PARTITIONS, LOG_MAX_BYTES: maxBytes }: Pick<Config, "PARTITIONS" | "LOG_MAX_BYTES">,
  surroundings: Surroundings,
): Promise<EventLog> => {
  const { openKafkaLog } = await import("../adapters/kafka/open.ts");
  return openKafkaLog({
    brokers,
    topicPrefix,
    ...(tls === null ? {} : { tls }),
    ...(sasl === null ? {} : { sasl }),
    ...(replication === null ? {} : { replicationFactor: replication }),
    partitions: { readings: PARTITIONS ?? KAFKA_PARTITIONS },
    maxBytes,
    ...surroundings,
  });
};

export const openPostgres = async (
  settings: PostgresSettings,
  {
    SECRET_KEY: secretKey,
    MAX_SIGNALS: maxSignals,
    MAX_RULES: maxRules,
  }: Pick<Config, "SECRET_KEY" | "MAX_SIGNALS" | "MAX_RULES">,
  surroundings: Surroundings,
): Promise<ControlStore> => {
  if (secretKey === undefined) throw new Error("SECRET_KEY is checked with DATABASE_URL");
  const { openPostgresControl } = await import("../adapters/postgres/open.ts");
  return openPostgresControl({ ...settings, secretKey, maxSignals, maxRules, ...surroundings });
};

export const openClickHouse = async (
  settings: ClickHouseSettings,
  retention: Retention | null,
  surroundings: Surroundings,
): Promise<TimeSeries> => {
  const { openClickHouseServer } = await import("../adapters/clickhouse/server.ts");
  return openClickHouseServer({ ...settings, retention, ...surroundings });
};
