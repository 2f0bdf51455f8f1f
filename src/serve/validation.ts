import type { FastifySchemaCompiler, FastifySerializerCompiler } from "fastify";
import { ResponseSerializationError } from "fastify-type-provider-zod";
import { z } from "zod";
import { pathText, placedProblemsOf } from "../domain/field-problems.ts";
import { type FieldProblem, ProblemError, validationFailed } from "./problem.ts";

/** Every mistake with its place; of a union, those of the branch that fits best. */
export const fieldProblemsOf = (error: z.core.$ZodError): FieldProblem[] =>
  placedProblemsOf(error).map(({ path, message }) => ({ path: pathText(path), message }));

/** A request without a body has `null` here; where a body may be left out, that is what it says. */
const leftOut = (schema: z.ZodType, httpPart: string | undefined, data: unknown): boolean =>
  httpPart === "body" && data === null && schema.safeParse(undefined).success;

const isGivenOften = (data: unknown, key: string): boolean =>
  typeof data === "object" && data !== null && Array.isArray(Reflect.get(data, key));

/** A parameter that may stand once, and stands several times, is a list to the parser of queries. */
const ofQuery = (schema: z.ZodType, data: unknown, errors: readonly FieldProblem[]): FieldProblem[] =>
  errors.map((error) => {
    const field = schema instanceof z.ZodObject ? schema.shape[error.path] : undefined;
    const isOnce = field instanceof z.ZodType && !field.safeParse([]).success;
    return isOnce && isGivenOften(data, error.path) ? { ...error, message: "is given twice" } : error;
  });

const problemsOf = (httpPart: string | undefined, schema: z.ZodType, data: unknown, error: z.ZodError) => {
  if (httpPart === "body" && (data ?? null) === null) return [{ path: "", message: "a body is needed" }];
  const errors = fieldProblemsOf(error);
  return httpPart === "querystring" ? ofQuery(schema, data, errors) : errors;
};

/** Checks bodies, queries and path parameters; an id in a path that cannot be one names nothing, hence 404. */
export const zodValidation: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data) => {
    const result = schema.safeParse(leftOut(schema, httpPart, data) ? undefined : data);
    if (result.success) return { value: result.data };
    const errors = problemsOf(httpPart, schema, data, result.error);
    const detail = errors.map(({ path, message }) => `${path} ${message}`).join("; ");
    return {
      error: httpPart === "params" ? new ProblemError("not_found", detail) : validationFailed(errors),
    };
  };

/** Answers as their schemas say, checked. Parsing them costs two thirds of encoding, and nothing in an answer has a code. */
export const zodSerialization: FastifySerializerCompiler<z.ZodType> =
  ({ schema, method, url }) =>
  (data) => {
    const result = schema.safeParse(data);
    if (!result.success) throw new ResponseSerializationError(method, url, { cause: result.error });
    return JSON.stringify(result.data);
  };
