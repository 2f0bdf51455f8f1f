import { ApiError, UnreachableError } from "../client/failures.ts";
import { TokenRefusedError } from "../client/tokens.ts";
import { UsageError } from "./context.ts";
import { shown, type Terminal } from "./terminal.ts";

interface Told {
  readonly what: string;
  readonly details?: readonly string[];
  readonly advice?: string;
}

const ofApi = ({ status, code, detail, errors, requestId, advice }: ApiError): Told => ({
  what: `${detail} (${status} ${code})`,
  details: [
    ...errors.map(({ path, message }) => `${path} ${message}`.trim()),
    ...(requestId === null ? [] : [`request ${requestId}`]),
  ],
  advice:
    code === "unauthorized" || code === "unexpected_answer"
      ? `${advice} (SIGNALS_API_KEY, SIGNALS_URL)`
      : advice,
});

const told = (error: unknown): Told => {
  if (error instanceof ApiError) return ofApi(error);
  if (error instanceof UnreachableError)
    return { what: error.message, advice: `${error.advice} (SIGNALS_URL)` };
  if (error instanceof TokenRefusedError)
    return { what: `${error.message} (${error.code})`, advice: "Begin again: signals login" };
  if (error instanceof UsageError) {
    const { message, details, advice } = error;
    return { what: message, details, advice };
  }
  return { what: error instanceof Error ? error.message : String(error) };
};

/** Says what went wrong and what to do, on standard error. */
export const tellFailure = ({ note, paint }: Terminal, error: unknown): void => {
  const { what, details = [], advice } = told(error);
  note(`${paint("red", "signals:")} ${shown(what)}`);
  for (const detail of details) note(`  ${shown(detail)}`);
  if (advice !== undefined) note(`  ${advice}`);
};
