import { type EventLog, GROUPS, type Topic } from "../../src/ports/event-log.ts";
import { until } from "./until.ts";

/** Everything that was appended to a topic is done with by a group, and committed; more may come after it. */
export const caughtUp = async (log: EventLog, group: keyof typeof GROUPS, topic: Topic): Promise<void> => {
  const ends = await log.bounds(topic);
  await until(`${group} to commit all of ${topic}`, async () => {
    const committed = await log.committed(GROUPS[group], topic);
    return ends.every(({ partition, end }) => (committed.get(partition) ?? 0) >= end);
  });
};
