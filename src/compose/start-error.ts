import { EngineStartError } from "../adapters/engine-start-error.ts";

/** The service cannot start, for a reason that the person who started it can mend: told without a stack. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** Errors of engines whose message says what to do; by name, as each lives with its engine. */
const MENDABLE = new Set([
  "StartError",
  "LogLayoutError",
  "SecretKeyError",
  "SealedDataError",
  "ControlUnavailableError",
  "LogUnavailableError",
  "EngineNotInstalledError",
  "SchemaTooNewError",
  "ControlMigrationError",
]);

const codeOf = (error: Error): unknown => ("code" in error ? error.code : undefined);

/** What to tell the person who started the service: words for what they can mend, the stack for what they cannot. */
export const startErrorReason = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof EngineStartError || MENDABLE.has(error.name)) return error.message;
  if (codeOf(error) === "EADDRINUSE") {
    const [, address = error.message] = /address already in use (\S+)$/.exec(error.message) ?? [];
    return `Another program listens at ${address} (EADDRINUSE).\nStop it, or choose another port: PORT=8081 npm start`;
  }
  if (codeOf(error) === "EACCES" || codeOf(error) === "EADDRNOTAVAIL")
    return `${error.message}.\nCheck HOST and PORT.`;
  return error.stack ?? error.message;
};
