import { ControlUnavailableError } from "../../ports/control-store.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { Health } from "../../ports/worker.ts";
import { UniqueViolationError } from "../control/engine.ts";

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
const UNIQUE = [1555, 2067];

const codeOf = (error: unknown): number | null =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : null;

/** Turns SQLite's errors into the port's, and remembers whether the database is well. */
export const createFailures = ({ log, metrics }: Telemetry) => {
  const failures = metrics.counter(
    "control_unavailable_total",
    "Statements that control data's engine could not run",
  );
  let failure: string | null = null;
  return {
    /** The port's error for one of the engine, with the engine's as its cause; anything else as it is. */
    named: (error: unknown): unknown => {
      const code = codeOf(error);
      if (code === null) return error;
      if (UNIQUE.includes(code))
        return new UniqueViolationError("a unique constraint was hit", { cause: error });
      const reason = UNAVAILABLE[code & 0xff];
      if (reason === undefined) return error;
      failures.add(1);
      if (failure === null) log.error({ engine: "sqlite", code, reason }, "control_unavailable");
      failure = reason;
      return new ControlUnavailableError(`control data cannot be used: ${reason}`, { cause: error });
    },
    /** A write has got through. */
    recovered: (): void => {
      if (failure !== null) log.info({ engine: "sqlite" }, "control_available");
      failure = null;
    },
    health: (): Health => ({
      name: "control",
      state: failure === null ? "ok" : "down",
      detail: failure === null ? null : `SQLite: ${failure}`,
    }),
  };
};
export type Failures = ReturnType<typeof createFailures>;
