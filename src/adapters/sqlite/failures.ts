import type { Telemetry } from "../../ports/telemetry.ts";
import type { Health } from "../../ports/worker.ts";
import { createAvailability } from "../control/availability.ts";
import { UniqueViolationError } from "../control/engine.ts";
import type { Fault } from "./messages.ts";

/** Primary result codes that mean the database cannot be used now (https://sqlite.org/rescode.html), in words. */
const UNAVAILABLE: Readonly<Record<number, string>> = {
  3: "permission denied",
  5: "locked by another process",
  6: "locked",
  7: "out of memory",
  8: "read-only",
  10: "input/output error",
  11: "the file is damaged",
  13: "the disk is full",
  14: "the file cannot be opened",
  26: "the file is not a database",
};
/** A statement that takes longer says that the disk hangs. */
const ANSWER_MAX_MS = 10_000;
const UNIQUE = [1555, 2067];

/** Turns SQLite's errors into the port's, and remembers whether the database is well. */
export const createFailures = (telemetry: Telemetry) => {
  const availability = createAvailability("SQLite", telemetry);
  return {
    availability,
    /** The port's error for one of the engine, with the engine's words as its cause. */
    named: ({ message, code }: Fault): Error => {
      const cause = new Error(message);
      if (code !== null && UNIQUE.includes(code))
        return new UniqueViolationError("a unique constraint was hit", { cause });
      const reason = code === null ? undefined : UNAVAILABLE[code & 0xff];
      return reason === undefined ? cause : availability.unavailable(reason, cause);
    },
    /** The engine's thread is gone, and with it every statement to come. */
    lost: (cause: Error): Error => availability.unavailable(`its thread is lost: ${cause.message}`, cause),
    crowded: (waiting: number): Error =>
      availability.unavailable(`${waiting} callers wait for it already`, new Error("too many callers")),
    recovered: availability.recovered,
    /** `busyMs`: for how long the oldest statement has waited for its answer. */
    health: (busyMs: number): Health => {
      const hangs = busyMs > ANSWER_MAX_MS;
      const hanging = `no answer for ${Math.round(busyMs / 1_000)} s: check the disk, then restart the service`;
      const reason = hangs ? hanging : availability.failure;
      return {
        name: "control",
        state: reason === null ? "ok" : "down",
        detail: reason === null ? null : `SQLite: ${reason}`,
      };
    },
  };
};
export type Failures = ReturnType<typeof createFailures>;
