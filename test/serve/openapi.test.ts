import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { EventKind } from "../../schemas/event.ts";
import { PROBLEMS } from "../../schemas/problem.ts";
import { TAGS } from "../../src/serve/openapi/operations/tags.ts";
import { OPERATIONS } from "../../src/serve/openapi/operations.ts";
import { sharedServe } from "../support/serve.ts";

const shared = sharedServe();
const Media = z.looseObject({
  schema: z.looseObject({}).optional(),
  example: z.unknown().optional(),
  examples: z.record(z.string(), z.object({ value: z.unknown() })).optional(),
});
const Content = z.record(z.string(), Media);
const Operation = z.looseObject({
  operationId: z.string().min(1),
  summary: z.string().min(5),
  description: z.string().min(10),
  tags: z.array(z.enum(Object.keys(TAGS))).length(1),
  security: z.array(z.looseObject({})),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })).default([]),
  requestBody: z.looseObject({ content: Content }).optional(),
  responses: z.record(
    z.string().regex(/^\d{3}$/),
    z.looseObject({ description: z.string().min(5), content: Content.optional() }),
  ),
});
const Document = z.looseObject({
  openapi: z.literal("3.1.0"),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({}),
});
const Kind = z.object({ properties: z.object({ operation: z.object({ const: z.string() }) }) });
const BatchUnion = z.object({
  schemas: z.object({ BatchOperation: z.object({ oneOf: z.array(Kind) }) }),
});
let document: z.infer<typeof Document>;
beforeAll(async () => {
  const response = await fetch(`${shared.serve.url}/v1/openapi.json`);
  document = Document.parse(await response.json());
});

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method,
      path,
      operation,
    })),
  );

describe("the OpenAPI document", () => {
  test("tells of every route that is there, and of no other, under a name of its own", () => {
    const routes = operations().map(({ name }) => name.replaceAll(/\{([^}]+)\}/g, ":$1"));
    expect(routes.sort()).toEqual(Object.keys(OPERATIONS).sort());
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("leaves out no route of the service", async () => {
    const listed = await fetch(`${shared.serve.url}/v1/openapi.json`).then((answer) => answer.text());
    for (const path of Object.values(
      await fetch(shared.serve.url)
        .then((answer) => answer.json())
        .then((body) => z.object({ links: z.record(z.string(), z.string()) }).parse(body).links),
    ))
      expect(listed).toContain(`"${path}"`);
  });

  test("has examples that fit their schemas, of every body and every answer in JSON", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: "document", components: document.components });
    const check = (where: string, media: z.infer<typeof Media>) => {
      const schema = JSON.parse(
        JSON.stringify(media.schema).replaceAll('"#/components', '"document#/components'),
      );
      const examples = [
        ...(media.example === undefined ? [] : [media.example]),
        ...Object.values(media.examples ?? {}).map(({ value }) => value),
      ];
      expect(examples.length, where).toBeGreaterThan(0);
      const validate = ajv.compile(schema);
      for (const example of examples)
        expect([where, validate(example), validate.errors]).toEqual([where, true, null]);
    };
    for (const { name, operation } of operations()) {
      for (const [status, { content }] of Object.entries(operation.responses))
        if (!["101", "204"].includes(status))
          expect([name, status, Object.values(content ?? {}).map(({ schema }) => typeof schema)]).toEqual([
            name,
            status,
            Object.keys(content ?? { none: "" }).map(() => "object"),
          ]);
      for (const media of Object.values(operation.requestBody?.content ?? {})) check(`${name} body`, media);
      for (const [status, { content = {} }] of Object.entries(operation.responses))
        for (const media of Object.values(content)) check(`${name} ${status}`, media);
    }
  });

  test("documents every error of the table, and with each operation those that it may answer", () => {
    const documented = new Set<string>();
    for (const { operation, method, path } of operations()) {
      for (const [status, { content = {} }] of Object.entries(operation.responses))
        for (const code of Object.keys(content["application/problem+json"]?.examples ?? {})) {
          documented.add(code);
          expect(
            String(z.record(z.string(), z.object({ status: z.number() })).parse(PROBLEMS)[code]?.status),
          ).toBe(status);
        }
      const statuses = Object.keys(operation.responses);
      expect(statuses).toContain("500");
      if (operation.security.length > 0 && operation.operationId !== "openStream")
        expect(statuses).toEqual(expect.arrayContaining(["401", "403", "429"]));
      if (method !== "get") expect(statuses).toEqual(expect.arrayContaining(["400", "413", "415"]));
      if (method === "post" && operation.security.length > 0)
        expect(operation.parameters.map(({ name }) => name)).toContain("Idempotency-Key");
      if (method === "patch") expect(operation.parameters.map(({ name }) => name)).toContain("If-Match");
      if (path.includes("{")) expect(statuses).toEqual(expect.arrayContaining(["400", "404"]));
    }
    const elsewhere = ["method_not_allowed", "expectation_failed"];
    expect([...documented, ...elsewhere].sort()).toEqual(Object.keys(PROBLEMS).sort());
  });

  test("says of the stream who may open it, and what comes of it", () => {
    const stream = document.paths["/v1/stream"]?.get;
    expect(stream?.security).toEqual([{ apiKey: [] }, { ticket: [] }]);
    expect(stream?.parameters).toMatchObject([{ name: "ticket", in: "query" }]);
    expect(Object.keys(stream?.responses ?? {})).toEqual(["101", "400", "429", "500"]);
    for (const code of ["1001", "1013", "4400", "4401", "4408"]) expect(stream?.description).toContain(code);
  });

  test("describes each operation of a batch, as JSON and as lines", () => {
    const { content = {} } = document.paths["/v1/signals/batch"]?.post?.requestBody ?? {};
    expect(Object.keys(content)).toEqual(["application/json", "application/x-ndjson"]);
    expect(content["application/json"]?.schema).toHaveProperty(
      ["properties", "operations", "items", "$ref"],
      "#/components/schemas/BatchOperation",
    );
    const { oneOf } = BatchUnion.parse(document.components).schemas.BatchOperation;
    expect(oneOf.map(({ properties }) => properties.operation.const)).toEqual([
      "create",
      "update",
      "delete",
      "report",
      "analyze",
    ]);
  });

  test("says what webhooks are sent, with an example of every kind that fits", () => {
    const Sent = z.object({
      event: z.object({ post: z.looseObject({ requestBody: z.object({ content: Content }) }) }),
    });
    const { content } = Sent.parse(document.webhooks).event.post.requestBody;
    const { schema = {}, examples = {} } = content["application/json"] ?? {};
    expect(Object.keys(examples)).toEqual(EventKind.options);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const fits = ajv.compile({ ...schema, components: document.components });
    for (const { value } of Object.values(examples)) {
      expect(fits(value), JSON.stringify(fits.errors)).toBe(true);
      expect(fits({ ...z.looseObject({}).parse(value), event: "nothing" })).toBe(false);
    }
  });

  test("is the same wherever it is asked for", async () => {
    const textAt = async (path: string) => (await fetch(shared.serve.url + path)).text();
    const told: unknown = JSON.parse(await textAt("/v1/openapi.json"));
    expect(JSON.parse(await textAt("/docs/json"))).toEqual(told);
    expect(parseYaml(await textAt("/docs/yaml"))).toEqual(told);
  });

  test("can be read at /docs with nothing from elsewhere", async () => {
    const page = await fetch(`${shared.serve.url}/docs`);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
    const text = await page.text();
    const parts = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, part]) => part ?? "");
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) {
      const url = new URL(part, page.url);
      expect(url.origin).toBe(new URL(shared.serve.url).origin);
      expect([part, (await fetch(url)).status]).toEqual([part, 200]);
    }
  });
});
