import {
  type Assignment,
  type EventLog,
  LogUnavailableError,
  PartitionLostError,
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

/** A real log whose members are given their partitions as `given` changes them. */
export const assigning = (log: EventLog, given: (assignment: Assignment) => Assignment): EventLog =>
  Object.assign(new FaultyLog(log), {
    consume: ((options) =>
      log.consume({
        ...options,
        assigned: (assignment) => options.assigned(given(assignment)),
      })) satisfies EventLog["consume"],
  });

/** A real log that says of every partition given to its members whether it is theirs without doubt. */
export const doubtful = (log: EventLog, isHeld: (assignment: Assignment) => boolean): EventLog =>
  assigning(log, (assignment) => ({
    ...assignment,
    isHeld: () => isHeld(assignment) && assignment.isHeld(),
  }));

/** What a group does to a member that stood still: a real log with one member, whose lease can be doubted and lost. */
export class Standstill {
  isDoubted = false;
  readonly #lose: (() => Promise<void>)[] = [];

  /** The partitions are another's, and have been for a while. */
  async lose(): Promise<void> {
    await Promise.all(this.#lose.splice(0).map((lose) => lose()));
  }

  wrap(log: EventLog): EventLog {
    const assigned = async (options: Parameters<EventLog["consume"]>[0], assignment: Assignment) => {
      const lost = new AbortController();
      const consumer = await options.assigned({
        ...assignment,
        signal: AbortSignal.any([assignment.signal, lost.signal]),
        isHeld: () => !this.isDoubted && !lost.signal.aborted && assignment.isHeld(),
      });
      this.#lose.push(async () => {
        lost.abort(new PartitionLostError("lost"));
        await consumer.revoked();
      });
      return consumer;
    };
    return Object.assign(new FaultyLog(log), {
      consume: ((options) =>
        log.consume({
          ...options,
          assigned: (assignment) => assigned(options, assignment),
        })) satisfies EventLog["consume"],
    });
  }
}
