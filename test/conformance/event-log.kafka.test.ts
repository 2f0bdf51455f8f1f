import { describe, onTestFinished } from "vitest";
import { kafkaBrokers, newPrefix, openTestKafkaLog } from "../support/kafka.ts";
import { eventLogConformance } from "./event-log.ts";

const brokers = await kafkaBrokers();

describe.skipIf(brokers === null)("with a broker", () => {
  eventLogConformance("Kafka", async ({ partitions = {}, maxBytes = 2 ** 40, surroundings = {} } = {}) => {
    const options = { brokers: brokers ?? [], topicPrefix: newPrefix(), partitions, maxBytes };
    // Topics are waited for by the real clock: the test's own may stand still.
    if (surroundings.clock !== undefined) await (await openTestKafkaLog(options)).close();
    let log = await openTestKafkaLog({ ...options, ...surroundings });
    onTestFinished(() => log.close());
    return {
      log,
      reopen: async () => {
        await log.close();
        log = await openTestKafkaLog({ ...options, ...surroundings });
        return log;
      },
    };
  });
});
