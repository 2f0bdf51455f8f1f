import { ApiError } from "../../client/failures.ts";

/** What the service says is wrong with a field, by its path; nothing where it said something else. */
export const problemsByPath = (error: unknown, prefix = ""): ReadonlyMap<string, string> => {
  if (!(error instanceof ApiError)) return new Map();
  return new Map(
    error.errors.map(({ path, message }) => [
      path.startsWith(prefix) ? path.slice(prefix.length) : path,
      message,
    ]),
  );
};

/** The first thing said about a field, or about anything in it. */
export const problemUnder = (problems: ReadonlyMap<string, string>, path: string): string | undefined =>
  [...problems].find(([one]) => one === path || one.startsWith(`${path}.`))?.[1];
