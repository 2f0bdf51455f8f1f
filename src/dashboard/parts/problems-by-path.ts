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

const isUnder = (path: string, field: string): boolean => path === field || path.startsWith(`${field}.`);

/** Whether fields that are shown say all that is wrong; `fields`: their paths. */
export const isSaidAt = (problems: ReadonlyMap<string, string>, fields: readonly string[]): boolean =>
  problems.size > 0 && [...problems.keys()].every((path) => fields.some((field) => isUnder(path, field)));

/** The first thing said about a field, or about anything in it. */
export const problemUnder = (problems: ReadonlyMap<string, string>, path: string): string | undefined =>
  [...problems].find(([one]) => isUnder(one, path))?.[1];
