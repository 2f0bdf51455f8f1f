import {
  type AclEntry,
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  Kafka,
  logLevel,
  ResourcePatternTypes,
} from "kafkajs";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { fileText } from "../support/deploy.ts";
import { brokersOf, kafkaToKill, newPrefix, openTestKafkaLog } from "../support/kafka.ts";
import { KAFKA_STRANGER } from "../support/kafka-broker.ts";
import { until } from "../support/until.ts";

const kafka = await kafkaToKill();
const brokers = kafka === null ? ["none:1"] : [...brokersOf(kafka)];
const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
if (kafka !== null) await admin.connect();
afterAll(() => admin.disconnect());

const OPERATIONS: Readonly<Record<string, AclOperationTypes>> = {
  Create: AclOperationTypes.CREATE,
  Delete: AclOperationTypes.DELETE,
  Describe: AclOperationTypes.DESCRIBE,
  DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
  Read: AclOperationTypes.READ,
  Write: AclOperationTypes.WRITE,
};

/** The rights that the guide gives away, for names that begin with `prefix`. */
const rights = (prefix: string): AclEntry[] =>
  [...fileText("deploy/README.md").matchAll(/^ {2}--(topic|group) signals\. (.*)$/gm)].flatMap(
    ([, resource, line = ""]) =>
      [...line.matchAll(/--operation (\w+)/g)].map(([, name = ""]) => ({
        principal: `User:${KAFKA_STRANGER.username}`,
        host: "*",
        resourceType: resource === "topic" ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
        resourceName: prefix,
        resourcePatternType: ResourcePatternTypes.PREFIXED,
        operation: OPERATIONS[name] ?? AclOperationTypes.UNKNOWN,
        permissionType: AclPermissionTypes.ALLOW,
      })),
  );

const open = async (topicPrefix: string) => {
  const sasl = { mechanism: "plain", ...KAFKA_STRANGER } as const;
  const log = await openTestKafkaLog({ brokers: [`127.0.0.1:${kafka?.ports.sasl}`], sasl, topicPrefix });
  onTestFinished(() => log.close());
  return log;
};

it.skipIf(kafka === null)("the rights on Kafka that the guide names are enough", async () => {
  const topicPrefix = newPrefix();
  expect(rights(topicPrefix)).toHaveLength(7);
  await admin.createAcls({ acl: rights(topicPrefix) });
  // The broker hears of rights a moment after they were given.
  const log = await until("the log to open", () => open(topicPrefix).catch(() => null));
  const value = new Uint8Array([1]);
  await log.append("readings", [{ value }, { value }]);
  let seen = 0;
  const member = await log.consume({
    group: "evaluate",
    topic: "readings",
    assigned: async (assignment) => ({
      startAt: 0,
      records: async (batch) => {
        seen += batch.length;
        await assignment.commit((batch.at(-1)?.offset ?? 0) + 1);
      },
      revoked: async () => undefined,
    }),
  });
  await until("both records", () => seen === 2);
  await until("the commit", async () => (await log.committed("evaluate", "readings")).get(0) === 2);
  await member.stop();
  await log.trim("readings", 0, 1);
  expect(await log.bounds("readings")).toEqual([{ partition: 0, earliest: 1, end: 2 }]);
  expect(log.health().state).toBe("ok");
});
