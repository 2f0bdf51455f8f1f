import { z } from "zod";
import { BatchOperation } from "../../../schemas/batch.ts";
import { PROBLEMS, Problem, type ProblemCode } from "../../../schemas/problem.ts";
import { withBodies } from "./bodies.ts";
import { openStream, SECURITY_SCHEMES } from "./open-stream.ts";
import { OPERATIONS, type Operation, TAGS } from "./operations.ts";
import type { Answer, Described, OpenApi, Raw } from "./raw.ts";

/** The whole of it. */
export type OpenApiDocument = Described;

/** Who may call a route: what `config.access` says, else what its method means. */
export type Access = "public" | "local" | "read" | "write" | "admin";

const ALWAYS: readonly ProblemCode[] = ["internal"];
const WITH_KEY: readonly ProblemCode[] = ["unauthorized", "forbidden", "rate_limited", "storage_unavailable"];
const WITH_BODY: readonly ProblemCode[] = [
  "validation_failed",
  "payload_too_large",
  "unsupported_media_type",
];
const WITH_IDEMPOTENCY: readonly ProblemCode[] = ["idempotency_in_flight", "idempotency_mismatch"];

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Of your making, such as a UUID: the request may be sent again with it for 24 hours, and is done once.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
  example: "7c0f6d0e-9d0b-4d6e-8a5c-6f3a1f0b2c3d",
};
const IF_MATCH = {
  name: "If-Match",
  in: "header",
  required: false,
  description: "The ETag of what you have seen: refused (412) when it has been changed since.",
  schema: { type: "string" },
  example: '"3"',
};
const TRACE = {
  "X-Request-Id": { description: "Name it when you ask about an answer.", schema: { type: "string" } },
};
const LIMITS = {
  RateLimit: {
    description: "How many more requests the key may send, and until when.",
    schema: { type: "string" },
  },
  "RateLimit-Policy": { description: "How many in how many seconds.", schema: { type: "string" } },
};

const isItem = (path: string): boolean => /\{[^}]+\}$/.test(path);
const changesItem = (method: string, path: string): boolean =>
  ["patch", "delete"].includes(method) && isItem(path) && !path.includes("api-keys");

const codesOf = (method: string, path: string, access: Access, operation: Operation): ProblemCode[] => {
  const hasKey = access !== "public";
  return [
    ...new Set([
      ...ALWAYS,
      ...(hasKey ? WITH_KEY : []),
      // Whoever sends a body where none is asked for is told when it is a bad one.
      ...(method === "get" ? [] : WITH_BODY),
      // What a route does not name is refused, too.
      ...(path.startsWith("/v1/") ? (["validation_failed"] as const) : []),
      ...(path.includes("{") ? (["not_found"] as const) : []),
      ...(method === "post" && operation.plain !== true ? WITH_IDEMPOTENCY : []),
      ...(changesItem(method, path) ? (["precondition_failed"] as const) : []),
      ...(method === "post" || path.includes("/test") ? (["pipeline_unavailable"] as const) : []),
      ...(operation.errors ?? []),
    ]),
  ];
};

const problemExample = (code: ProblemCode) => ({
  value: {
    type: `/problems/${code}`,
    title: PROBLEMS[code].title,
    status: PROBLEMS[code].status,
    code,
    detail: `${PROBLEMS[code].title}.`,
    requestId: "req_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  },
});

/** One answer for each status, with an example of each code that may come with it. */
const refusals = (codes: readonly ProblemCode[]) =>
  Object.fromEntries(
    [...Map.groupBy(codes, (code) => PROBLEMS[code].status)].map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(" "),
        headers: TRACE,
        content: {
          "application/problem+json": {
            schema: { $ref: "#/components/schemas/Problem" },
            examples: Object.fromEntries(ofStatus.map((code) => [code, problemExample(code)])),
          },
        },
      },
    ]),
  );

/** A DELETE answers with no content, and so has no schema that could say so; nor has what is no JSON of ours. */
const rawAnswersOf = (method: string, { responses = {} }: Raw, { gives }: Operation): [string, Answer][] => {
  if (method === "delete") return [["204", {}]];
  if (gives !== undefined)
    return [
      ["200", { content: { [gives]: { schema: { type: gives.endsWith("json") ? "object" : "string" } } } }],
    ];
  return Object.entries(responses).filter(([status]) => /^\d{3}$/.test(status));
};

const answersOf = (method: string, raw: Raw, operation: Operation, access: Access) => {
  const answers = rawAnswersOf(method, raw, operation);
  const headers = { ...TRACE, ...(access === "public" ? {} : LIMITS) };
  return Object.fromEntries(
    answers.map(([status, answer]) => {
      const example = operation.answer?.[Number(status)];
      const content = Object.fromEntries(
        Object.entries(answer.content ?? {}).map(([type, media]) => [
          type,
          example === undefined ? media : { ...media, example },
        ]),
      );
      const description = status === "204" ? "Done; there is nothing to say." : "As asked for.";
      return [status, { description, headers, ...(answer.content === undefined ? {} : { content }) }];
    }),
  );
};

const SCOPES: Readonly<Record<Access, string>> = {
  public: "Needs no key.",
  local: "Needs no key from the machine itself, else one with the scope `admin`.",
  read: "Needs a key with the scope `read`.",
  write: "Needs a key with the scope `write`.",
  admin: "Needs a key with the scope `admin`.",
};

const described = (
  method: string,
  path: string,
  raw: Raw,
  access: Access,
  operation: Operation,
): Described => {
  const parameters = [
    ...(raw.parameters ?? []),
    ...(method === "post" && operation.plain !== true ? [IDEMPOTENCY_KEY] : []),
    ...(changesItem(method, path) ? [IF_MATCH] : []),
  ];
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${SCOPES[access]}`,
    security: access === "public" ? [] : [{ apiKey: [] }],
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
  const own = { BatchOperation: schemaOf(BatchOperation), Problem: schemaOf(Problem) };
  const schemas = { ...document.components.schemas, ...own };
  const components = { ...document.components, securitySchemes: SECURITY_SCHEMES, schemas };
  return {
    ...document,
    tags,
    components,
    paths: Object.fromEntries(paths),
  };
};
