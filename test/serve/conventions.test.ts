import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { Problem } from "../../schemas/problem.ts";
import { generateApiKey } from "../../src/domain/api-key.ts";
import { Api } from "../support/api.ts";
import { sharedServe } from "../support/serve.ts";

const shared = sharedServe();

interface Request {
  readonly method?: string;
  readonly path?: string;
  readonly key?: string | null;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}
const send = ({
  method = "GET",
  path = "/v1/signals",
  key = shared.serve.key,
  headers = {},
  body,
}: Request) =>
  fetch(shared.serve.url + path, {
    method,
    headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
const JSON_TYPE = { "content-type": "application/json" };
const post = (body: string, path = "/v1/signals") => send({ method: "POST", path, headers: JSON_TYPE, body });

const problemOf = async (response: Response) => {
  expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  const problem = Problem.parse(await response.json());
  expect(problem.status).toBe(response.status);
  expect(problem.requestId).toBe(response.headers.get("x-request-id"));
  expect(problem.requestId).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
  return problem;
};

describe("keys", () => {
  test("a request without one is 401 and told how", async () => {
    const response = await send({ key: null });
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(await problemOf(response)).toMatchObject({ status: 401, code: "unauthorized" });
  });

  test("an unknown key, a mistyped one and another scheme are 401", async () => {
    const unknown = generateApiKey(new Uint8Array(32).fill(9));
    for (const authorization of [
      `Bearer ${unknown}`,
      `Bearer ${shared.serve.key}x`,
      `Basic ${shared.serve.key}`,
      "Bearer",
    ]) {
      const response = await send({ key: null, headers: { authorization } });
      expect(await problemOf(response)).toMatchObject({ code: "unauthorized" });
    }
  });

  test("a key does what its scopes name, and no more", async () => {
    const reads = await shared.engines.newKey("read");
    const writes = await shared.engines.newKey("write");
    const create = (key: string) =>
      send({ method: "POST", key, headers: JSON_TYPE, body: '{"name":"a","threshold":0.5}' });
    expect((await send({ key: reads })).status).toBe(200);
    expect(await problemOf(await create(reads))).toMatchObject({ status: 403, code: "forbidden" });
    expect((await create(writes)).status).toBe(201);
    expect(await problemOf(await send({ key: writes }))).toMatchObject({ code: "forbidden" });
  });

  test("testing a signal changes nothing and needs no more than reading", async () => {
    const writes = await shared.engines.newKey("write");
    const body = '{"signalId":"a","strength":-50}';
    const response = await send({
      method: "POST",
      path: "/v1/signals/test",
      key: writes,
      headers: JSON_TYPE,
      body,
    });
    expect(await problemOf(response)).toMatchObject({ code: "forbidden" });
  });
});

describe("errors", () => {
  test("an unknown path is 404, with or without a key", async () => {
    expect(await problemOf(await send({ path: "/v1/nothing" }))).toMatchObject({ code: "not_found" });
    expect(await problemOf(await send({ path: "/v1/nothing", key: null }))).toMatchObject({ status: 404 });
  });

  test("a known path with another method is 405 and names those it knows", async () => {
    const response = await send({ method: "PUT", path: "/v1/signals/sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9" });
    expect(response.headers.get("allow")).toBe("DELETE, GET, HEAD, PATCH");
    expect(await problemOf(response)).toMatchObject({ status: 405, code: "method_not_allowed" });
  });

  test("an id that cannot be one, and one that is nobody's, are 404", async () => {
    for (const id of ["1", "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9", "src_01JDA2V3Q8R5T7W9Y1B3D5F7H9"])
      expect(await problemOf(await send({ path: `/v1/signals/${id}` }))).toMatchObject({ status: 404 });
  });

  test("a bad path is a problem, too", async () => {
    expect(await problemOf(await send({ path: "/v1/%zz" }))).toMatchObject({ status: 400 });
  });

  test("a body is checked field by field", async () => {
    const problem = await problemOf(await post('{"threshold":2,"nane":"a"}'));
    expect(problem).toMatchObject({ status: 400, code: "validation_failed" });
    expect(problem.errors?.map(({ path }) => path).sort()).toEqual(["name", "nane", "threshold"]);
  });

  test.each(["{", '{"a":}', "nonsense", ""])("the body %j is 400", async (body) => {
    expect(await problemOf(await post(body))).toMatchObject({ status: 400, code: "validation_failed" });
  });

  test("__proto__ and deep nesting are refused", async () => {
    const proto = '{"name":"a","threshold":0.5,"labels":{"__proto__":"x"}}';
    const deep = `{"name":"a","threshold":0.5,"labels":${"[".repeat(100_000)}`;
    for (const body of [proto, deep])
      expect(await problemOf(await post(body))).toMatchObject({ status: 400 });
    expect(Reflect.get({}, "x")).toBeUndefined();
  });

  test("a body over 1 MiB is 413", async () => {
    const body = JSON.stringify({ name: "a".repeat(1024 * 1024), threshold: 1 });
    expect(await problemOf(await post(body))).toMatchObject({ status: 413, code: "payload_too_large" });
  });

  test("a body that is not JSON by its type is 415", async () => {
    for (const type of ["text/plain", "application/xml", "application/x-www-form-urlencoded"]) {
      const response = await send({ method: "POST", headers: { "content-type": type }, body: "a=1" });
      expect(await problemOf(response)).toMatchObject({ status: 415, code: "unsupported_media_type" });
    }
  });

  test.each([
    "limit=0",
    "limit=501",
    "limit=x",
    "cursor=nonsense",
    "sort=colour",
    "label=x",
    "label=__proto__:x",
    "page=2",
  ])("the query %s is 400 and says where", async (query) => {
    const problem = await problemOf(await send({ path: `/v1/signals?${query}` }));
    expect(problem).toMatchObject({ status: 400, errors: [{ path: query.split("=")[0] }] });
  });

  test("what is no HTTP at all is answered and cut off", async () => {
    const socket = connect(Number(new URL(shared.serve.url).port), "127.0.0.1");
    socket.write("EHLO there\r\n\r\n");
    let text = "";
    for await (const chunk of socket) text += chunk;
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(Problem.parse(JSON.parse(text.slice(text.indexOf("\r\n\r\n"))))).toMatchObject({ status: 400 });
  });
});

describe("the service itself", () => {
  test("greets, lives, and says how each part is", async () => {
    const open = new Api(shared.serve.url, "");
    expect((await open.call("GET", "/")).status).toBe(200);
    expect((await open.call("GET", "/health/live")).body).toEqual({ status: "ok" });
    shared.serve.health = [{ name: "time series", state: "degraded", detail: "slow" }];
    expect(await open.call("GET", "/health/ready")).toMatchObject({
      status: 200,
      body: { status: "degraded" },
    });
    shared.serve.health = [{ name: "time series", state: "down", detail: "gone" }];
    const down = await open.call("GET", "/health/ready");
    expect(down.status).toBe(503);
    expect(down.body).toMatchObject({ status: "down" });
    expect(JSON.stringify(down.body)).toContain("gone");
    shared.serve.health = [];
  });

  test("counts its answers by route", async () => {
    await shared.serve.api.call("GET", "/v1/signals?limit=1");
    const { body } = await new Api(shared.serve.url, "").call("GET", "/metrics");
    expect(body).toMatch(/http_requests_total\{route="\/v1\/signals",method="GET",status="200"\} \d/);
    expect(body).toContain("http_request_seconds_bucket");
  });

  test("shows metrics without a key to this machine only, not to who comes through a proxy on it", async () => {
    const ask = (headers: Record<string, string>) => fetch(`${shared.serve.url}/metrics`, { headers });
    expect((await ask({})).status).toBe(200);
    expect((await ask({ "x-forwarded-for": "203.0.113.7" })).status).toBe(401);
    expect((await ask({ forwarded: "for=203.0.113.7" })).status).toBe(401);
  });

  test("tells the lag of each stage and the states of sources", async () => {
    const status = await shared.serve.api.call("GET", "/v1/status");
    expect(status).toMatchObject({
      status: 200,
      body: { version: "0.0.0-test", logId: shared.engines.log.logId },
    });
    expect(status.body).toHaveProperty("rates");
  });
});
