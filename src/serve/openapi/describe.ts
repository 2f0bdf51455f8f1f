import { z } from "zod";
import { PROBLEMS, Problem, type ProblemCode } from "../../../schemas/problem.ts";
import { OPERATIONS, type Operation, TAGS } from "./operations.ts";

const Described = z.record(z.string(), z.unknown());
type Described = z.infer<typeof Described>;
const Answer = z.looseObject({ content: z.record(z.string(), Described).optional() });
type Answer = z.infer<typeof Answer>;
const Raw = z.looseObject({
  parameters: z.array(Described).optional(),
  requestBody: z.looseObject({ content: z.record(z.string(), Described) }).optional(),
  responses: z.record(z.string(), Answer).optional(),
});
type Raw = z.infer<typeof Raw>;
/** As far as it is looked at here: what @fastify/swagger makes of the routes (OpenAPI 3.1). */
export const OpenApi = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Raw)),
  components: z.looseObject({ schemas: z.record(z.string(), Described).default({}) }),
});
export type OpenApi = z.infer<typeof OpenApi>;
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

const codesOf = (
  method: string,
  path: string,
  raw: Raw,
  access: Access,
  operation: Operation,
): ProblemCode[] => {
  const hasKey = access !== "public";
  const takesInput =
    raw.requestBody !== undefined || (raw.parameters ?? []).some((one) => one.in === "query");
  return [
    ...new Set([
      ...ALWAYS,
      ...(hasKey ? WITH_KEY : []),
      ...(raw.requestBody === undefined ? [] : WITH_BODY),
      ...(takesInput ? (["validation_failed"] as const) : []),
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

/** A DELETE answers with no content, and so has no schema that could say so. */
const rawAnswersOf = (method: string, { responses = {} }: Raw): [string, Answer][] =>
  method === "delete"
    ? [["204", {}]]
    : Object.entries(responses).filter(([status]) => /^\d{3}$/.test(status));

const answersOf = (method: string, raw: Raw, operation: Operation, access: Access) => {
  const answers = rawAnswersOf(method, raw);
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
  const bodies = Object.entries(raw.requestBody?.content ?? {}).map(([type, media]) => [
    type,
    operation.body === undefined ? media : { ...media, example: operation.body },
  ]);
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${SCOPES[access]}`,
    security: access === "public" ? [] : [{ apiKey: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(raw.requestBody === undefined
      ? {}
      : { requestBody: { ...raw.requestBody, content: Object.fromEntries(bodies) } }),
    responses: {
      ...answersOf(method, raw, operation, access),
      ...refusals(codesOf(method, path, raw, access, operation)),
    },
  };
};

const ANY = { description: "Whatever the sender sends." };
/** With the bodies that only words describe. */
const withBodies = (raw: Raw, { takes }: Operation): Raw => {
  if (takes === undefined) return raw;
  const content = Object.entries(takes).map(([type, example]) => [
    type,
    { schema: typeof example === "string" ? { ...ANY, type: "string" } : ANY, example },
  ]);
  return { ...raw, requestBody: { required: true, content: Object.fromEntries(content) } };
};

/** `/v1/signals/{id}` as routes write it. */
const routeOf = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path.replaceAll(/\{([^}]+)\}/g, ":$1")}`;

/** What the routes' schemas say, made complete: names, words, examples, errors and headers. */
export const describe = (document: OpenApi, accessOf: (route: string) => Access): OpenApiDocument => {
  const paths = Object.entries(document.paths).map(([path, methods]) => {
    const told = Object.entries(methods).map(([method, raw]) => {
      const route = routeOf(method, path);
      const operation = OPERATIONS[route];
      const whole =
        operation === undefined
          ? raw
          : described(method, path, withBodies(raw, operation), accessOf(route), operation);
      return [method, whole] as const;
    });
    return [path, Object.fromEntries(told)] as const;
  });
  const tags = Object.entries(TAGS).map(([name, description]) => ({ name, description }));
  const { $schema: _, ...problem } = z.toJSONSchema(Problem);
  const schemas = { ...document.components.schemas, Problem: problem };
  const components = { ...document.components, schemas };
  return {
    ...document,
    tags,
    components,
    paths: Object.fromEntries(paths),
  };
};
