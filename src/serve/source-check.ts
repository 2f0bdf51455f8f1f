import { pathText } from "../domain/field-problems.ts";
import { type CheckedSource, sourceProblems } from "../domain/source-problems.ts";
import { validationFailed } from "./problem.ts";

/** Refuses a source whose secrets are masks, or whose JSONPaths cannot be used, before anything connects. */
export const checkSource = (settings: CheckedSource): void => {
  const problems = sourceProblems(settings);
  if (problems.length > 0)
    throw validationFailed(problems.map(({ path, message }) => ({ path: pathText(path), message })));
};
