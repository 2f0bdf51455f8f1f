import type { z } from "zod";
import { alternativesMessage, wordsOf } from "./field-words.ts";

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

const problemsIn = (issue: Issue, base: readonly PropertyKey[]): PlacedProblem[] => {
  const path = [...base, ...issue.path];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ path: [...path, key], message: "is not a known field" }));
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const message = alternativesMessage(issue.errors);
    return message === null
      ? nearest(issue.errors).flatMap((inner) => problemsIn(inner, path))
      : [{ path, message }];
  }
  return [{ path, message: wordsOf(issue.message) }];
};

/** Every mistake with its place; of a union, those of the branch that fits best. */
export const placedProblemsOf = (error: z.core.$ZodError): PlacedProblem[] =>
  error.issues.flatMap((issue) => problemsIn(issue, []));
