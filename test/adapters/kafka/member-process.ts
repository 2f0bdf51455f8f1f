/** A process with one member of a group, that says on stdout what happens to its partitions. */
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import { openTestKafkaLog } from "../../support/kafka.ts";

const [broker = "", topicPrefix = "", partitions = "1"] = process.argv.slice(2);
const log = await openTestKafkaLog({
  brokers: [broker],
  topicPrefix,
  partitions: { readings: Number(partitions) },
  clock: systemClock,
  entropy: systemEntropy,
});
const say = (what: string, partition: number): void => {
  process.stdout.write(`${what} ${partition}\n`);
};
await log.consume({
  group: "g",
  topic: "readings",
  assigned: async ({ partition, committed, signal }) => {
    say("assigned", partition);
    signal.addEventListener("abort", () => say("aborted", partition));
    return {
      startAt: committed ?? 0,
      records: async () => undefined,
      revoked: async () => say("revoked", partition),
    };
  },
});
