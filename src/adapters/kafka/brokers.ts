import type { ApiVersions } from "kafkajs";
import type { Inquiry } from "./inquiry.ts";
import { KafkaStartError } from "./start-error.ts";

/** Kafka 3.7 is the first that knows version 10 of its Produce request (key 0; kafka.apache.org/protocol, KIP-951). */
const PRODUCE = 0;
const PRODUCE_OF_3_7 = 10;

/** Throws for brokers older than Kafka 3.7. */
export const checkVersions = (versions: ApiVersions, where: string): void => {
  const spoken = versions[PRODUCE]?.maxVersion ?? 0;
  if (spoken >= PRODUCE_OF_3_7) return;
  throw new KafkaStartError(
    "kafka_too_old",
    `Kafka at ${where} is older than 3.7, the oldest that is supported: it speaks version ${spoken} of the Produce ` +
      `request, 3.7 speaks ${PRODUCE_OF_3_7}.\nUpgrade the brokers.`,
  );
};

/** How many brokers there are. */
export const countBrokers = (inquiry: Inquiry): Promise<number> =>
  inquiry.ask("which brokers there are", async ({ admin, cluster }) => {
    await cluster.refreshMetadata();
    const { brokers } = await admin.describeCluster();
    const controller = await cluster.findControllerBroker();
    checkVersions(
      await controller.apiVersions(),
      brokers.map(({ host, port }) => `${host}:${port}`).join(", "),
    );
    return brokers.length;
  });
