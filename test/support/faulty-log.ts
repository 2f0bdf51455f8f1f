import {
  type Assignment,
  type EventLog,
  LogUnavailableError,
  type Topic,
} from "../../src/ports/event-log.ts";

/** A real log that can be made to refuse appends, as one whose disk or broker is gone. */
export class FaultyLog implements EventLog {
  readonly #log: EventLog;
  /** Topics whose appends are refused. */
  readonly refused = new Set<Topic>();
  /** Chance in [0, 1) that an append is refused, topic `sources` apart: that one is the test's own. */
  refusalRate = 0;

  constructor(log: EventLog) {
    this.#log = log;
  }

  get logId() {
    return this.#log.logId;
  }

  append: EventLog["append"] = async (topic, records, options) => {
    const unlucky = topic !== "sources" && Math.random() < this.refusalRate;
    if (this.refused.has(topic) || unlucky) throw new LogUnavailableError("gone");
    return this.#log.append(topic, records, options);
  };

  partitions: EventLog["partitions"] = (topic) => this.#log.partitions(topic);
  consume: EventLog["consume"] = (options) => this.#log.consume(options);
  tail: EventLog["tail"] = (topic, options) => this.#log.tail(topic, options);
  bounds: EventLog["bounds"] = (topic) => this.#log.bounds(topic);
  committed: EventLog["committed"] = (group, topic) => this.#log.committed(group, topic);
  members: EventLog["members"] = (group) => this.#log.members(group);
  trim: EventLog["trim"] = (topic, partition, before) => this.#log.trim(topic, partition, before);
  hasRoom: EventLog["hasRoom"] = () => this.#log.hasRoom();
  whenRoom: EventLog["whenRoom"] = (signal) => this.#log.whenRoom(signal);
  health: EventLog["health"] = () => this.#log.health();
  close: EventLog["close"] = () => this.#log.close();
}

/** A real log that says of every partition given to its members whether it is theirs without doubt. */
export const doubtful = (log: EventLog, isHeld: (assignment: Assignment) => boolean): EventLog =>
  Object.assign(new FaultyLog(log), {
    consume: ((options) =>
      log.consume({
        ...options,
        assigned: (assignment) =>
          options.assigned({ ...assignment, isHeld: () => isHeld(assignment) && assignment.isHeld() }),
      })) satisfies EventLog["consume"],
  });
