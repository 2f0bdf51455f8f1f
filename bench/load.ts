import { fork } from "node:child_process";
import { EventEmitter } from "node:events";
import { createBirpc } from "birpc";
import { systemClock } from "../src/adapters/system/clock.ts";
import { channel, type Port } from "../src/adapters/threads/channel.ts";
import { guestLog } from "../src/adapters/threads/guest-log.ts";
import { hostLog, type LogFacts, logFacts } from "../src/adapters/threads/log-host.ts";
import type { EventLog } from "../src/ports/event-log.ts";

const BEGIN = "begin";
const LOAD = "load";
interface Begin {
  begin(facts: LogFacts): void;
}
/** One end of a fork, on either side. */
interface End {
  on(event: "message", listener: (message: unknown) => void): unknown;
  send?: (message: object) => unknown;
}

/** As between two threads. */
const portOf = (end: End): Port => {
  const arrivals = new EventEmitter();
  end.on("message", (message) => arrivals.emit("message", message));
  return {
    postMessage: (message) => {
      if (typeof message === "object" && message !== null) end.send?.(message);
    },
    on: (event, listener) => arrivals.on(event, listener),
    off: (event, listener) => arrivals.off(event, listener),
  };
};

/**
 * A process that appends to `log` what `Calls` ask for, as the threads of other workers do where all run in one: a
 * worker that is measured is not charged with its load, and cannot hold it up.
 */
export const startLoad = async <Calls extends object>(file: string, log: EventLog) => {
  const child = fork(new URL(file, import.meta.url), {
    serialization: "advanced",
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const ended = (code: number | null) => {
    throw new Error(`the load ended with ${code}`);
  };
  child.once("exit", ended);
  const port = portOf(child);
  const unhost = hostLog(log, port, systemClock);
  await createBirpc<Begin, object>({}, channel(port, BEGIN)).begin(logFacts(log));
  return {
    pid: child.pid ?? 0,
    calls: createBirpc<Calls, object>({}, channel(port, LOAD)),
    end: () => {
      child.off("exit", ended);
      // It may be in the middle of an append, whose answer nobody waits for.
      child.on("error", () => undefined);
      child.kill("SIGKILL");
      unhost();
    },
  };
};

/** What such a process runs. */
export const serveLoad = <Calls extends object>(callsOn: (log: EventLog) => Calls): void => {
  const port = portOf(process);
  const begin = (facts: LogFacts) => {
    createBirpc<object, Calls>(callsOn(guestLog(facts, port)), channel(port, LOAD));
  };
  createBirpc<object, Begin>({ begin }, channel(port, BEGIN));
  process.on("disconnect", () => process.exit());
};
