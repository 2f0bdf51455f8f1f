import { randomBytes, randomUUID } from "node:crypto";
import { ownClickHouse } from "./clickhouse.ts";
import { CLICKHOUSE_LOGIN, type TestClickHouse } from "./clickhouse-server.ts";
import type { TestBroker } from "./kafka-broker.ts";
import { ownKafka } from "./kafka-server.ts";
import { ownPostgres } from "./postgres.ts";
import type { TestPostgres } from "./postgres-server.ts";

/** The engines beyond one machine, on this one: real servers that may be killed and started again. */
export interface Stack {
  readonly kafka: TestBroker;
  readonly postgres: TestPostgres;
  readonly clickHouse: TestClickHouse;
  readonly secretKey: Buffer;
  readonly topicPrefix: string;
  /** What every worker on them is started with. */
  readonly environment: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Starts the three side by side, or says what is missing. */
export const startStack = async (): Promise<Stack | { readonly missing: string }> => {
  const [kafka, postgres, clickHouse] = await Promise.all([ownKafka(), ownPostgres(), ownClickHouse()]);
  const removeOthers = () => Promise.all([postgres.remove(), clickHouse.remove()]);
  if ("missing" in kafka) {
    await removeOthers();
    return kafka;
  }
  const secretKey = randomBytes(32);
  const topicPrefix = `test-${randomUUID().slice(0, 8)}.`;
  return {
    kafka,
    postgres,
    clickHouse,
    secretKey,
    topicPrefix,
    environment: {
      KAFKA_BROKERS: `127.0.0.1:${kafka.ports.plain}`,
      KAFKA_TOPIC_PREFIX: topicPrefix,
      DATABASE_URL: postgres.url(),
      CLICKHOUSE_URL: clickHouse.url,
      ...(clickHouse.cluster === null ? {} : { CLICKHOUSE_CLUSTER: clickHouse.cluster }),
      CLICKHOUSE_USER: CLICKHOUSE_LOGIN.user,
      CLICKHOUSE_PASSWORD: CLICKHOUSE_LOGIN.password,
      SECRET_KEY: secretKey.toString("base64"),
    },
    remove: async () => {
      await Promise.all([kafka.remove(), removeOthers()]);
    },
  };
};
