import type { AccountId } from "../../../schemas/common.ts";
import { LIST_LIMIT_MAX } from "../../../schemas/common.ts";
import { ServiceStatus } from "../../../schemas/service.ts";
import type { ControlStore } from "../../ports/control-store.ts";
import type { EventLog, Topic } from "../../ports/event-log.ts";
import { GROUPS } from "../../ports/event-log.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";

type Done = (partition: number) => number | Promise<number>;

const lagOf = async (log: EventLog, topic: Topic, done: Done): Promise<number> => {
  let lag = 0;
  for (const { partition, earliest, end } of await log.bounds(topic))
    lag += Math.max(0, end - Math.max(earliest, await done(partition)));
  return lag;
};

const stages = async (log: EventLog, control: ControlStore) => {
  const recorded = (topic: Topic) => async (partition: number) =>
    (await control.recordProgress.read(log.logId, topic, partition)).done;
  const committed = async (group: string, topic: Topic): Promise<Done> => {
    const offsets = await log.committed(group, topic);
    return (partition) => offsets.get(partition) ?? 0;
  };
  const of = async (stage: string, topic: Topic, done: Done) => ({
    stage,
    topic,
    lag: await lagOf(log, topic, done),
  });
  return [
    await of("evaluate", "readings", await committed(GROUPS.evaluate, "readings")),
    await of("record", "readings", recorded("readings")),
    await of("record", "events", recorded("events")),
    await of("deliver", "events", await committed(GROUPS.deliver, "events")),
  ];
};

const sourceStates = async ({ sources }: ControlStore, accountId: AccountId) => {
  const counts: Record<string, number> = {};
  let cursor: string | undefined;
  do {
    const page = await sources.list(accountId, { limit: LIST_LIMIT_MAX, cursor });
    for (const { status } of page.items) counts[status.state] = (counts[status.state] ?? 0) + 1;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return counts;
};

export const statusRoute = (app: App, { log, control, clock, settings, hub, rates }: Parts): void => {
  const startedAt = timestamp(clock.now());
  app.get("/v1/status", { schema: { response: answers({ 200: ServiceStatus }) } }, async (request) => ({
    version: settings.version,
    startedAt,
    logId: log.logId,
    stages: await stages(log, control),
    rates: await rates.now(),
    streamClients: hub.size,
    sources: await sourceStates(control, callerOf(request).accountId),
  }));
};
