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
