import { z } from "zod";
import { BatchOperation } from "../../../schemas/batch.ts";
import { Problem } from "../../../schemas/problem.ts";
import { type Access, SCOPES, securityOf } from "./access.ts";
import { answersOf } from "./answers.ts";
import { withBodies } from "./bodies.ts";
import { openStream, SECURITY_SCHEMES } from "./open-stream.ts";
import type { Operation } from "./operations/operation.ts";
import { TAGS } from "./operations/tags.ts";
import { OPERATIONS } from "./operations.ts";
import type { Described, OpenApi, Raw } from "./raw.ts";
import { codesOf, refusals } from "./refusals.ts";
import { requestHeaders } from "./request-headers.ts";
import { eventSchema, sent } from "./sent.ts";

/** The whole of it. */
export type OpenApiDocument = Described;

const described = (
  method: string,
  path: string,
  raw: Raw,
  access: Access,
  operation: Operation,
): Described => {
  const parameters = [...(raw.parameters ?? []), ...requestHeaders(method, path, operation)];
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${SCOPES[access]}`,
    security: securityOf(access),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(raw.requestBody === undefined ? {} : { requestBody: raw.requestBody }),
    responses: {
      ...answersOf(method, raw, operation, access),
      ...refusals(codesOf(method, path, access, operation)),
    },
  };
};

/** That of an operation of ours, by its route. */
const told = (route: string, method: string, path: string, raw: Raw, access: Access): Described => {
  const operation = OPERATIONS[route];
  if (operation === undefined) return raw;
  if (operation.opens === "websocket")
    return openStream(operation, refusals(codesOf(method, path, access, operation)));
  return described(method, path, withBodies(raw, operation), access, operation);
};

/** Components that no route's schema brings along by itself. */
const schemaOf = (schema: z.ZodType): Described => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
};

/** `/v1/signals/{id}` as routes write it. */
const routeOf = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path.replaceAll(/\{([^}]+)\}/g, ":$1")}`;

/** What the routes' schemas say, made complete: names, words, examples, errors and headers. */
export const describe = (document: OpenApi, accessOf: (route: string) => Access): OpenApiDocument => {
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const whole = Object.entries(methods).map(([method, raw]) => {
      const route = routeOf(method, path);
      return [method, told(route, method, path, raw, accessOf(route))] as const;
    });
    return [path, Object.fromEntries(whole)] as const;
  });
  const tags = Object.entries(TAGS).map(([name, description]) => ({ name, description }));
  const own = {
    BatchOperation: schemaOf(BatchOperation),
    Event: eventSchema(),
    Problem: schemaOf(Problem),
  };
  const schemas = { ...document.components.schemas, ...own };
  const components = { ...document.components, securitySchemes: SECURITY_SCHEMES, schemas };
  return {
    ...document,
    tags,
    components,
    paths: Object.fromEntries(paths),
    webhooks: sent(),
  };
};
