import { type EventLog, GROUPS, type PartitionBounds, type Topic } from "../ports/event-log.ts";
import type { RecordContext, RecordControl } from "./context.ts";
import type { RecordSettings } from "./settings.ts";

interface Engines {
  readonly log: EventLog;
  readonly control: RecordControl;
}

/** Where a replay would begin if the newest snapshot were lost: 0 without one of this very log. */
const snapshotFloor = async ({ log, control }: Engines, partition: number): Promise<number> => {
  const seal = await control.snapshots.lastButOne(partition);
  return seal !== null && seal.logId === log.logId ? seal.offset : 0;
};

const doneFloor = async ({ log, control }: Engines, topic: Topic, partition: number): Promise<number> =>
  (await control.recordProgress.read(log.logId, topic, partition)).done;

/** The offset below which nobody will read again, for each topic that this task trims. */
const FLOORS: readonly {
  readonly topic: Topic;
  readonly floor: (engines: Engines, bounds: PartitionBounds, settings: RecordSettings) => Promise<number>;
}[] = [
  {
    topic: "readings",
    floor: async (engines, { partition }) => {
      const evaluated = await engines.log.committed(GROUPS.evaluate, "readings");
      return Math.min(
        await doneFloor(engines, "readings", partition),
        evaluated.get(partition) ?? 0,
        await snapshotFloor(engines, partition),
      );
    },
  },
  {
    topic: "events",
    floor: async (engines, { partition }) => {
      const delivered = await engines.log.committed(GROUPS.deliver, "events");
      return Math.min(await doneFloor(engines, "events", partition), delivered.get(partition) ?? 0);
    },
  },
  {
    topic: "dead-letters",
    floor: async (_engines, { end }, { deadLettersKept }) => end - deadLettersKept,
  },
];

/** Deletes from the log what is below the retention floor of each partition (DESIGN.md, "Three ports"). */
export const trimLog = async (context: RecordContext, settings: RecordSettings): Promise<void> => {
  const { log, metrics } = context;
  for (const { topic, floor } of FLOORS) {
    for (const bounds of await log.bounds(topic)) {
      const before = await floor(context, bounds, settings);
      if (before <= bounds.earliest) continue;
      await log.trim(topic, bounds.partition, before);
      metrics.trimmed.set(before, { topic, partition: String(bounds.partition) });
    }
  }
};

/** Says, asked every `trimWhenFullEveryMs`, whether to trim now. */
export const trimPace = ({ log, clock }: RecordContext, settings: RecordSettings): (() => boolean) => {
  let dueAtMs = clock.monotonic() + settings.trimEveryMs;
  return () => {
    const now = clock.monotonic();
    if (now < dueAtMs && log.hasRoom()) return false;
    dueAtMs = now + settings.trimEveryMs;
    return true;
  };
};
