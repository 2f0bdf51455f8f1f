import { describe } from "vitest";
import type { EventLog, Topic } from "../../src/ports/event-log.ts";
import type { Surroundings } from "../../src/ports/surroundings.ts";
import { appendBehaviour } from "./event-log/append.ts";
import { capacityBehaviour } from "./event-log/capacity.ts";
import { compactionBehaviour } from "./event-log/compaction.ts";
import { failureBehaviour } from "./event-log/failures.ts";
import { groupBehaviour } from "./event-log/group.ts";
import { tailBehaviour } from "./event-log/tail.ts";
import { trimBehaviour } from "./event-log/trim.ts";

export interface LogSettings {
  readonly partitions?: Partial<Record<Topic, number>>;
  /** LOG_MAX_BYTES; not given: large. */
  readonly maxBytes?: number;
  /** In place of the real ones. */
  readonly surroundings?: Partial<Surroundings>;
}

/** A log of its own for one test; what it leaves behind is removed when the test is over. */
export interface LogUnderTest {
  readonly log: EventLog;
  /** Closes the log and opens the same one again. */
  reopen(): Promise<EventLog>;
}

export type OpenLog = (settings?: LogSettings) => Promise<LogUnderTest>;

/** What every engine of the event log port must do; `open` makes a new, empty log each time. */
export const eventLogConformance = (engine: string, open: OpenLog): void => {
  describe(`event log on ${engine}`, () => {
    appendBehaviour(open);
    groupBehaviour(open);
    failureBehaviour(open);
    tailBehaviour(open);
    trimBehaviour(open);
    compactionBehaviour(open);
    capacityBehaviour(open);
  });
};
