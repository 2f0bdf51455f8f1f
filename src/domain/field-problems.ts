import type { z } from "zod";

type Issue = z.core.$ZodIssue;

/** Where in what was given a mistake is, step by step (no step: in the whole), and what it is. */
export interface PlacedProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** How far off an issue says a branch of a union is: what does not even have the branch's type is furthest. */
const distanceOf = (issue: Issue): number =>
  issue.code === "unrecognized_keys" ? issue.keys.length : issue.path.length === 0 ? 10 : 1;
const distance = (issues: readonly Issue[]): number =>
  issues.reduce((sum, issue) => sum + distanceOf(issue), 0);

const nearest = (branches: readonly (readonly Issue[])[]): readonly Issue[] =>
  branches.reduce((best, branch) => (distance(branch) < distance(best) ? branch : best));

/** As people write a path: `condition.value`. */
export const pathText = (path: readonly PropertyKey[]): string => path.map(String).join(".");

const KINDS: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  int: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};
const kindText = (kind: string): string => KINDS[kind] ?? kind;

/** What is not there, or is of another kind, in words; Zod's are those of a programmer. */
const kindMessage = (message: string): string | null => {
  const [, expected, received] = /^Invalid input: expected (\w+), received (\w+)$/.exec(message) ?? [];
  if (expected === undefined || received === undefined) return null;
  if (received === "undefined") return `is needed: ${kindText(expected)}`;
  return `must be ${kindText(expected)}, and is ${kindText(received)}`;
};

const problemsIn = (issue: Issue, base: readonly PropertyKey[]): PlacedProblem[] => {
  const path = [...base, ...issue.path];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ path: [...path, key], message: "is not a known field" }));
  if (issue.code === "invalid_union" && issue.errors.length > 0)
    return nearest(issue.errors).flatMap((inner) => problemsIn(inner, path));
  return [{ path, message: kindMessage(issue.message) ?? issue.message }];
};

/** Every mistake with its place; of a union, those of the branch that fits best. */
export const placedProblemsOf = (error: z.core.$ZodError): PlacedProblem[] =>
  error.issues.flatMap((issue) => problemsIn(issue, []));
