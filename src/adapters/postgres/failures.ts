import type { Telemetry } from "../../ports/telemetry.ts";
import type { Health } from "../../ports/worker.ts";
import { createAvailability } from "../control/availability.ts";
import { TransactionConflictError, UniqueViolationError } from "../control/engine.ts";

/** What is known of an error of `pg`: SQLSTATE of the server, code of Node, or neither. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** Conditions of the server by SQLSTATE, or its class, in words (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const UNAVAILABLE: Readonly<Record<string, string>> = {
  "08": "the connection failed",
  "25006": "the server takes no writes: it is a standby, or set to read only",
  "25P03": "a transaction stood still and was ended by the server",
  "28": "the server refuses the user: check the user and password of DATABASE_URL",
  "3D000": "the database does not exist any more",
  "42501": "the user lacks a privilege on the tables",
  "53": "the server is short of resources",
  "53100": "the server's disk is full",
  "53300": "the server has no connection left: raise its max_connections, or lower DATABASE_CONNECTIONS",
  "55P03": "a row stayed locked for too long",
  "57014": "a statement took too long",
  "57P01": "the server shuts down",
  "57P02": "the server crashed",
  "57P03": "the server is starting up or shutting down",
  "58": "the server has a fault of its system",
  XX: "the server has an internal fault",
};
const CONFLICTS = ["40001", "40P01"];
const UNIQUE = "23505";

const SQLSTATE = /^[0-9A-Z]{5}$/;
const TIMED_OUT = /Query read timeout/;
const NO_SLOT = /timeout exceeded when trying to connect/;
/** Of `pg` itself and of Node's sockets. */
const CONNECTION = /Connection terminated|timeout expired|not queryable|SSL|TLS|certificate|ended by/i;
const NODE_CODE = /^(E[A-Z0-9_]+|[A-Z_]*CERT[A-Z_]*)$/;

/** A server that answered with an error still has its connection; unless it ends it, or has become a standby. */
export const isConnectionLost = (error: unknown): boolean => {
  const code = codeOf(error);
  return !SQLSTATE.test(code) || /^(08|57P|25P03|25006)/.test(code);
};

/** In words, when the database cannot be used now; null for an error of ours, such as a wrong statement. */
export const reasonOf = (error: Error): string | null => {
  const code = codeOf(error);
  if (SQLSTATE.test(code)) return UNAVAILABLE[code] ?? UNAVAILABLE[code.slice(0, 2)] ?? null;
  if (TIMED_OUT.test(error.message)) return "the server does not answer";
  if (NO_SLOT.test(error.message)) return "no connection came free in time: raise DATABASE_CONNECTIONS";
  if (NODE_CODE.test(code)) return `the server cannot be reached: ${code}`;
  return CONNECTION.test(error.message) ? `the server cannot be reached: ${error.message}` : null;
};

/** Turns the errors of PostgreSQL and of the way there into the port's, and remembers whether it is well. */
export const createFailures = (telemetry: Telemetry) => {
  const availability = createAvailability("PostgreSQL", telemetry);
  return {
    availability,
    /** The port's error for one of the engine. */
    named: (error: unknown): unknown => {
      if (!(error instanceof Error)) return error;
      const code = codeOf(error);
      if (code === UNIQUE) return new UniqueViolationError("a unique constraint was hit", { cause: error });
      if (CONFLICTS.includes(code))
        return new TransactionConflictError("two transactions stood in each other's way", { cause: error });
      const reason = reasonOf(error);
      return reason === null ? error : availability.unavailable(reason, error);
    },
    crowded: (waiting: number): Error =>
      availability.unavailable(`${waiting} callers wait for it already`, new Error("too many callers")),
    health: (): Health => {
      const { failure } = availability;
      const detail = failure === null ? null : `PostgreSQL: ${failure}`;
      return { name: "control", state: failure === null ? "ok" : "down", detail };
    },
  };
};
export type Failures = ReturnType<typeof createFailures>;
