import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { WebhookId } from "../../schemas/common.ts";
import { PROBLEMS, Problem } from "../../schemas/problem.ts";
import { OPERATIONS } from "../../src/serve/openapi/operations.ts";
import { toldOf } from "../conformance/control-store/alerts.ts";
import { aDelivery } from "../conformance/control-store/examples.ts";
import { fromSchema, mutated, record } from "../support/from-schema.ts";
import { openTestEngines, startTestServe, type TestEngines, type TestServe } from "../support/serve.ts";
import { somePeople } from "../support/some-people.ts";

/** FUZZ_RUNS=2000 FUZZ_SEED=7 npx vitest … for a longer search, or another one. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 60);
const SEED = Number(process.env.FUZZ_SEED ?? 20260131);
/** Endless, or no JSON: other tests are theirs. */
const LEFT_OUT = new Set(["GET /v1/stream", "GET /v1/events/stream"]);
/** What it is told to connect to takes its time: only what is refused before is sent. */
const ONLY_INVALID = new Set([
  "POST /v1/integrations/sources/test",
  "POST /v1/integrations/webhooks/test",
  "POST /v1/integrations/webhooks/:id/test",
]);
/** Nothing answers a probe here, a push source is not connected to, and no key but our own is there to be revoked. */
const NEVER_DONE = new Set([
  ...ONLY_INVALID,
  "POST /v1/integrations/sources/:id/test",
  "POST /v1/signals/test",
  "DELETE /v1/api-keys/:id",
  // Nobody here has a password, nor an app that shows codes.
  "PUT /v1/me/proof",
  "PUT /v1/me/password",
  "PUT /v1/me/second-factor/confirmation",
  "PUT /v1/me/recovery-codes",
  // It was approved before.
  "POST /v1/access-requests/:id/reject",
]);

const ASKS_EVALUATORS = new Set(["POST /v1/signals/test", "GET /v1/alerts"]);

const WEBHOOKS = "/v1/integrations/webhooks";
const NOBODY = "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9";

const Media = z.looseObject({
  schema: z.record(z.string(), z.unknown()).optional(),
  example: z.unknown().optional(),
});
const Content = z.record(z.string(), Media);
const Parameter = z.looseObject({
  name: z.string(),
  in: z.string(),
  required: z.boolean().default(false),
  schema: z.record(z.string(), z.unknown()),
});
const Operation = z.looseObject({
  parameters: z.array(Parameter).default([]),
  requestBody: z.looseObject({ content: Content }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: Content.optional() })),
});
const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});
type Operation = z.infer<typeof Operation>;

const Reference = z.object({ $ref: z.string() });
const Results = z.looseObject({ summary: z.looseObject({ failed: z.int() }) });

let engines: TestEngines;
let serve: TestServe;
let document: z.infer<typeof Document>;
/** Something that is there, by the beginning of its path. */
let ids: Readonly<Record<string, string>>;
let deliveryId: string;
let cookie: string;
const ajv = new Ajv2020({ strict: false, validateFormats: false });

const validatorOf = (schema: object): ValidateFunction =>
  ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')));

/** With what its references name in their place. */
const whole = (schema: object): unknown =>
  JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    const { data } = Reference.safeParse(value);
    return data === undefined ? value : document.components.schemas[data.$ref.split("/").at(-1) ?? ""];
  });

const made = async (path: string, body: object): Promise<string> => {
  const Made = z.union([
    z.object({ id: z.string() }),
    z.object({ signals: z.array(z.object({ id: z.string() })) }),
  ]);
  const answer = await serve.api.expect(Made, "POST", path, body);
  return "id" in answer ? answer.id : (answer.signals[0]?.id ?? "");
};

beforeAll(async () => {
  engines = await openTestEngines();
  // No evaluator runs here: a probe is not answered, and need not be waited for.
  serve = await startTestServe(engines, { limits: { probeTimeoutMs: 10 } });
  document = Document.parse(await (await fetch(`${serve.url}/v1/openapi.json`)).json());
  ajv.addSchema({ $id: "document", components: document.components });
  const told = { ...toldOf(1), accountId: engines.accountId };
  await engines.control.alerts.project([told]);
  const people = await somePeople(engines);
  ({ cookie } = people);
  ids = {
    ...people.ids,
    // Bodies that name an account of theirs.
    account: engines.accountId,
    "/v1/signals": await made("/v1/signals", { name: "s", threshold: 0.4 }),
    "/v1/integrations/sources": await made("/v1/integrations/sources", { type: "push", name: "p" }),
    "/v1/alerts/rules": await made("/v1/alerts/rules", {
      name: "r",
      condition: { operator: "below", value: -75 },
    }),
    "/v1/alerts/silences": await made("/v1/alerts/silences", { untilResolved: true, reason: "r" }),
    "/v1/oauth/clients": await made("/v1/oauth/clients", {
      name: "o",
      grants: ["client_credentials"],
      scopes: ["read"],
    }),
    // What others' paths begin with comes after them.
    "/v1/alerts": told.alert.id,
    [WEBHOOKS]: await made(WEBHOOKS, { url: "https://hooks.example/", events: ["signal.failed"] }),
  };
  const [delivery] = await engines.control.deliveries.add([aDelivery(WebhookId.parse(ids[WEBHOOKS]), 0)]);
  deliveryId = delivery ?? "";
});
afterAll(async () => {
  await serve.stop();
  await engines.close();
});

const Query = z.record(z.string(), z.unknown());
interface Sent {
  readonly id: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** What may disable things comes late, and what takes them away last: a batch may do both. */
const LATE = ["PATCH", "DELETE", "POST /v1/signals/batch"];
const turnOf = (name: string): number => LATE.findIndex((method) => name.startsWith(method));
const NAMES = Object.keys(OPERATIONS)
  .filter((name) => !LEFT_OUT.has(name))
  .sort((a, b) => turnOf(a) - turnOf(b));

const sentOf = (method: string, path: string, operation: Operation): fc.Arbitrary<Sent> => {
  const [, present = NOBODY] = Object.entries(ids).find(([start]) => path.startsWith(start)) ?? [];
  const known = Object.values(ids);
  const query = operation.parameters
    .filter((one) => one.in === "query")
    .map(({ name, schema }) => {
      const valid = fromSchema(schema, known);
      return [name, fc.oneof({ weight: 3, arbitrary: valid }, mutated(valid))] as const;
    });
  const { schema, example } = operation.requestBody?.content["application/json"] ?? {};
  // What schemas alone lead to is seldom right where fields must fit one another, as in a rule.
  const shown = example === undefined ? [] : [fc.constant(example)];
  // Where no body is asked for, one may come all the same.
  const unasked =
    method === "GET" ? fc.constant(undefined) : fc.constantFrom(undefined, undefined, {}, [], "");
  const body = schema === undefined ? unasked : fromSchema(whole(schema), known);
  return fc.record({
    id: fc.oneof(
      { weight: 4, arbitrary: fc.constant(present) },
      fc.constantFrom(NOBODY, "x", "%00", "..%2f", "%zz", "key_%F0%9F%92%A9"),
    ),
    query: record(Object.fromEntries(query), []).map((one) => Query.parse(one)),
    body:
      schema === undefined
        ? body
        : fc.oneof({ weight: 4, arbitrary: body }, { weight: 4, arbitrary: mutated(body) }, ...shown),
  });
};

const search = (query: Sent["query"]): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [
      name,
      (typeof one === "object" ? JSON.stringify(one) : String(one)).toWellFormed(),
    ]),
  );
  return new URLSearchParams(pairs).toString();
};

const send = async (name: string, { id, query, body }: Sent): Promise<Response> => {
  const [method = "", path = ""] = name.split(" ");
  const url = `${serve.url}${path.replace(":id", id).replace(":deliveryId", deliveryId)}?${search(query)}`;
  const response = await fetch(url, {
    method,
    headers: {
      ...(/^\/v1\/me\b/.test(path) ? { cookie, origin: serve.url } : serve.api.authorization),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // What a session may do has changed, and with it what it is known by.
  cookie = response.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
  return response;
};

/** What an operation may answer: a validator of each status, and what its problems are. */
const checksOf = ({ responses, requestBody }: Operation) => {
  const validators = new Map(
    Object.entries(responses).map(([status, { content = {} }]) => {
      const schema = content["application/json"]?.schema;
      return [Number(status), schema === undefined ? null : validatorOf(schema)] as const;
    }),
  );
  const bodySchema = requestBody?.content["application/json"]?.schema;
  return { validators, isBody: bodySchema === undefined ? () => true : validatorOf(bodySchema) };
};

/** What spoils an operation of a batch is told with that operation. */
const isRefusedInPart = (name: string, text: string): boolean =>
  name === "POST /v1/signals/batch" && Results.parse(JSON.parse(text)).summary.failed > 0;

const expectProblem = (response: Response, text: string, isProbe: boolean): void => {
  expect(response.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
  const problem = Problem.parse(JSON.parse(text));
  expect(PROBLEMS).toHaveProperty([problem.code, "status"], response.status);
  expect(problem.requestId).toBe(response.headers.get("x-request-id"));
  if (response.status >= 500) expect([isProbe, problem.code]).toEqual([true, "pipeline_unavailable"]);
};

describe("whatever is sent, the answer is one that is documented, and no failure", () => {
  test.each(NAMES)(
    "%s",
    async (name) => {
      const [method = "", path = ""] = name.split(" ");
      const operation = document.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
      if (operation === undefined) throw new Error(`${name} is not in the document`);
      const { validators, isBody } = checksOf(operation);
      let done = 0;
      const property = fc.asyncProperty(sentOf(method, path, operation), async (sent) => {
        const isValid = isBody(JSON.parse(JSON.stringify(sent.body ?? null)));
        fc.pre(!ONLY_INVALID.has(name) || !isValid);
        const response = await send(name, sent);
        const text = await response.text();
        const validator = validators.get(response.status);
        expect(validator, `${response.status} is not documented: ${text.slice(0, 300)}`).toBeDefined();
        if (response.status >= 400 && !name.startsWith("GET /health"))
          expectProblem(response, text, ASKS_EVALUATORS.has(name));
        else if (validator) {
          const content: unknown = JSON.parse(text);
          expect([validator(content), validator.errors]).toEqual([true, null]);
        }
        if (response.ok) done++;
        if (response.ok && !isRefusedInPart(name, text))
          expect(isValid, `accepted: ${JSON.stringify(sent.body)}`).toBe(true);
      });
      await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: RUNS > 1_000 });
      expect(done > 0, "some of it must have been right").toBe(!NEVER_DONE.has(name));
    },
    600_000,
  );
});
