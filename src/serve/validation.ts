import type { FastifySchemaCompiler } from "fastify";
import type { z } from "zod";
import { type FieldProblem, ProblemError, validationFailed } from "./problem.ts";

type Issue = z.core.$ZodIssue;

/** How far off a branch of a union is: what does not even have the branch's type is furthest. */
const distance = (issues: readonly Issue[]): number =>
  issues.reduce(
    (sum, { path, code }) => sum + (path.length === 0 && code !== "unrecognized_keys" ? 10 : 1),
    0,
  );

const nearest = (branches: readonly (readonly Issue[])[]): readonly Issue[] =>
  branches.reduce((best, branch) => (distance(branch) < distance(best) ? branch : best));

const pathText = (path: readonly PropertyKey[]): string => path.map(String).join(".");

const fieldProblems = (issue: Issue, base: readonly PropertyKey[]): FieldProblem[] => {
  const path = [...base, ...issue.path];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ path: pathText([...path, key]), message: "is not a known field" }));
  if (issue.code === "invalid_union" && issue.errors.length > 0)
    return nearest(issue.errors).flatMap((inner) => fieldProblems(inner, path));
  return [{ path: pathText(path), message: issue.message }];
};

/** Every mistake with its place; of a union, those of the branch that fits best. */
export const fieldProblemsOf = (error: z.core.$ZodError): FieldProblem[] =>
  error.issues.flatMap((issue) => fieldProblems(issue, []));

/** Checks bodies, queries and path parameters; an id in a path that cannot be one names nothing, hence 404. */
export const zodValidation: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data) => {
    const result = schema.safeParse(data);
    if (result.success) return { value: result.data };
    const errors = fieldProblemsOf(result.error);
    const detail = errors.map(({ path, message }) => `${path} ${message}`).join("; ");
    return {
      error: httpPart === "params" ? new ProblemError("not_found", detail) : validationFailed(errors),
    };
  };
