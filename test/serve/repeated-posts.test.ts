import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATIONS } from "../../src/serve/openapi/operations.ts";
import { exampleBodyOf, oneOfEach } from "../support/one-of-each.ts";
import { openTestEngines, startTestServe, type TestEngines, type TestServe } from "../support/serve.ts";

let engines: TestEngines;
let serve: TestServe;
let pathOf: (route: string) => string;
beforeAll(async () => {
  engines = await openTestEngines();
  // No evaluator runs here: a probe is not answered, and need not be waited for.
  serve = await startTestServe(engines, { webhooks: { allowPrivate: true }, limits: { probeTimeoutMs: 10 } });
  ({ pathOf } = await oneOfEach(engines, serve));
});
afterAll(async () => {
  await serve.stop();
  await engines.close();
});

/** Bodies that reach something here, where those of the document name what is not there. */
const NEAR: Readonly<Record<string, object>> = {
  "POST /v1/integrations/sources/test": { type: "simulator", name: "s", signals: 1 },
  "POST /v1/integrations/webhooks/test": { url: "https://127.0.0.1:9/" },
};
/** Nothing answers a probe here; what failed is done again. */
const FAILING = new Set(["POST /v1/signals/test"]);
/** The source that is here is pushed to: that it is not connected to is an answer, too. */
const NOT_CONNECTED = "POST /v1/integrations/sources/:id/test";
const POSTS = Object.entries(OPERATIONS)
  .filter(([name, { plain }]) => name.startsWith("POST ") && plain !== true)
  .map(([name]) => name);

const send = async (name: string, body: object | undefined, key: string) => {
  const response = await fetch(serve.url + pathOf(name.replace("POST ", "")), {
    method: "POST",
    headers: {
      ...serve.api.authorization,
      "Idempotency-Key": key,
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const withoutRequest = (text: string): string => text.replace(/"requestId":"[^"]*"/, "");

describe("a POST that is repeated under its Idempotency-Key gets the first answer", () => {
  test.each(POSTS)("%s", async (name) => {
    const body = NEAR[name] ?? exampleBodyOf(name);
    const first = await send(name, body, name.replaceAll(" ", "-"));
    const second = await send(name, body, name.replaceAll(" ", "-"));
    expect([second.status, withoutRequest(second.text)]).toEqual([first.status, withoutRequest(first.text)]);
    const replayed = FAILING.has(name) ? null : "true";
    expect([first, second].map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([
      null,
      replayed,
    ]);
    expect(first.status === 400).toBe(name === NOT_CONNECTED);
    if (!FAILING.has(name)) expect(first.status).toBeLessThan(500);
    const other = { ...body, other: 1 };
    const { status } = await send(name, other, name.replaceAll(" ", "-"));
    expect([400, 422, 503]).toContain(status);
  });
});
