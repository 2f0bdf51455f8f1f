import { MessageChannel } from "node:worker_threads";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { guestLog } from "../../src/adapters/threads/guest-log.ts";
import { hostLog, logFacts } from "../../src/adapters/threads/log-host.ts";
import type { EventLog } from "../../src/ports/event-log.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { openTestLog } from "../support/lmdb-log.ts";
import { eventLogConformance } from "./event-log.ts";

/** A log as a thread sees that does not have it: everything passes a port, and so is copied. */
const throughPort = (log: EventLog): EventLog => {
  const { port1, port2 } = new MessageChannel();
  const closeHost = hostLog(log, port1, systemClock);
  const guest = guestLog(logFacts(log), port2);
  return {
    logId: guest.logId,
    partitions: (topic) => guest.partitions(topic),
    append: (...records) => guest.append(...records),
    consume: (options) => guest.consume(options),
    tail: (...options) => guest.tail(...options),
    bounds: (topic) => guest.bounds(topic),
    committed: (...of) => guest.committed(...of),
    members: (group) => guest.members(group),
    trim: (...before) => guest.trim(...before),
    hasRoom: () => guest.hasRoom(),
    whenRoom: (signal) => guest.whenRoom(signal),
    health: () => guest.health(),
    close: async () => {
      await guest.close();
      await log.close();
      closeHost();
      port1.close();
    },
  };
};

eventLogConformance(
  "LMDB of another thread",
  async ({ partitions = {}, maxBytes = 2 ** 40, surroundings = {} } = {}) => {
    const directory = await temporaryDirectory();
    const options = { directory, partitions, maxBytes, ...surroundings };
    let log = throughPort(await openTestLog(options));
    onTestFinished(() => log.close());
    return {
      log,
      reopen: async () => {
        await log.close();
        log = throughPort(await openTestLog(options));
        return log;
      },
    };
  },
);
