import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { sharedServe, startTestServe } from "../support/serve.ts";
import { until } from "../support/until.ts";

const shared = sharedServe();

interface Request {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly url?: string;
  readonly key?: string;
}
const send = async ({ method = "POST", path, body, headers = {}, url, key }: Request) => {
  const response = await fetch((url ?? shared.serve.url) + path, {
    method,
    headers: {
      authorization: `Bearer ${key ?? shared.serve.key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === "" ? null : JSON.parse(text),
  };
};
const withKey = (key: string) => ({ "Idempotency-Key": key });
const aSignal = (name: string) => ({ name, threshold: 0.5 });

describe("an Idempotency-Key", () => {
  test("makes one thing of many equal requests, at every process, and answers all alike", async () => {
    const other = await startTestServe(shared.engines);
    onTestFinished(() => other.stop());
    const create = (url?: string) =>
      send({ path: "/v1/signals", body: aSignal("once"), headers: withKey("k1"), ...(url ? { url } : {}) });
    const together = await Promise.all([create(), create(other.url), create(), create(other.url)]);
    for (const { status, json } of together.filter(({ status }) => status !== 201)) {
      expect([status, json.code]).toEqual([409, "idempotency_in_flight"]);
    }
    const [first] = together.filter(({ status }) => status === 201);
    const again = await create(other.url);
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.headers.get("location")).toBe(first?.headers.get("location"));
    expect(again.headers.get("content-type")).toContain("application/json");
    expect(again.text).toBe(first?.text);
    const { json } = await send({ method: "GET", path: "/v1/signals?q=once" });
    expect(json.signals).toHaveLength(1);
  });

  test("with another body, or for another path, is refused", async () => {
    await send({ path: "/v1/signals", body: aSignal("a"), headers: withKey("k2") });
    for (const request of [
      { path: "/v1/signals", body: aSignal("b") },
      { path: "/v1/alerts/rules", body: { name: "a", condition: { operator: "below", value: -80 } } },
    ]) {
      const { status, json } = await send({ ...request, headers: withKey("k2") });
      expect([status, json.code]).toEqual([422, "idempotency_mismatch"]);
    }
  });

  test("keeps what was refused, too, but not what was never a request", async () => {
    const taken = { ...aSignal("taken"), externalId: "taken" };
    await send({ path: "/v1/signals", body: taken });
    const refused = await send({ path: "/v1/signals", body: taken, headers: withKey("k3") });
    const again = await send({ path: "/v1/signals", body: taken, headers: withKey("k3") });
    expect([refused.status, again.status]).toEqual([409, 409]);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.json).toMatchObject({
      code: "conflict",
      detail: refused.json.detail,
      errors: refused.json.errors,
    });
    expect(again.json.requestId).not.toBe(refused.json.requestId);
    const invalid = await send({ path: "/v1/signals", body: { name: "" }, headers: withKey("k4") });
    expect(invalid.status).toBe(400);
    expect((await send({ path: "/v1/signals", body: aSignal("k4"), headers: withKey("k4") })).status).toBe(
      201,
    );
    for (const key of ["", "x".repeat(256), "a b"]) {
      const { status, json } = await send({ path: "/v1/signals", body: aSignal("c"), headers: withKey(key) });
      expect([status, json.errors[0].path]).toEqual([400, "Idempotency-Key"]);
    }
  });
});

describe("ETag and If-Match", () => {
  test("let a change through on the revision it was made for alone", async () => {
    const created = await send({ path: "/v1/signals", body: aSignal("tagged") });
    const path = created.headers.get("location") ?? "";
    const tag = created.headers.get("etag") ?? "";
    expect((await send({ method: "GET", path })).headers.get("etag")).toBe(tag);
    const patch = (match: string, name: string) =>
      send({ method: "PATCH", path, body: { name }, headers: { "If-Match": match } });
    const changed = await patch(tag, "one");
    expect([changed.status, changed.headers.get("etag")]).toEqual([200, '"2"']);
    for (const stale of [tag, `W/"2"`, "2", '"x"', '"17", "18"']) {
      const { status, json } = await patch(stale, "two");
      expect([stale, status, json.code]).toEqual([stale, 412, "precondition_failed"]);
      expect(json.detail).toContain("is at revision 2");
    }
    expect((await patch('"1", "2"', "three")).status).toBe(200);
    expect((await patch("*", "four")).status).toBe(200);
    const remove = (match: string) => send({ method: "DELETE", path, headers: { "If-Match": match } });
    expect([(await remove('"1"')).status, (await remove('"4"')).status]).toEqual([412, 204]);
  });
});

describe("limits of a key", () => {
  test("are told in every answer, end in 429, and do not touch another key", async () => {
    const limited = await startTestServe(shared.engines, { rateLimit: { requests: 3, seconds: 60 } });
    onTestFinished(() => limited.stop());
    const get = (key = limited.key) =>
      send({ method: "GET", path: "/v1/signals?limit=1", url: limited.url, key });
    for (const left of [2, 1, 0]) {
      const { status, headers } = await get();
      expect([status, headers.get("ratelimit-policy")]).toEqual([200, '"key";q=3;w=60']);
      expect(headers.get("ratelimit")).toMatch(new RegExp(`^"key";r=${left};t=(59|60)$`));
    }
    const refused = await get();
    expect([refused.status, refused.json.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await get(await shared.engines.newKey("read"))).status).toBe(200);
    expect((await send({ method: "GET", path: "/health/live", url: limited.url })).status).toBe(200);
  });
});

describe("a limit of a key also counts", () => {
  const limited = async () => {
    const serve = await startTestServe(shared.engines, { rateLimit: { requests: 2, seconds: 60 } });
    onTestFinished(() => serve.stop());
    return serve;
  };

  test("requests that its scopes do not allow, on every route", async () => {
    const { url } = await limited();
    for (const path of ["/v1/signals", "/v1/integrations/sources/src_01JDA2V3Q8R5T7W9Y1B3D5F7H9/push"]) {
      const key = await shared.engines.newKey("read");
      const post = () => send({ path, body: aSignal("no"), url, key });
      const statuses = [await post(), await post(), await post()].map(({ status }) => status);
      expect([path, ...statuses]).toEqual([path, 403, 403, 429]);
    }
  });

  test("streams that it opens", async () => {
    const { url, key } = await limited();
    const opened = () =>
      new Promise<number>((resolve) => {
        const socket = new WebSocket(`${url.replace(/^http/, "ws")}/v1/stream`, {
          headers: { authorization: `Bearer ${key}` },
        });
        socket.on("open", () => {
          socket.close();
          resolve(101);
        });
        socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
        socket.on("error", () => undefined);
      });
    expect([await opened(), await opened(), await opened()]).toEqual([101, 101, 429]);
  });
});

describe("API keys", () => {
  test("are made by an admin, shown once, listed without themselves, and end when they are revoked", async () => {
    const body = { name: "ci", scopes: ["read", "read"], expiresAt: "2100-01-01T00:00:00+02:00" };
    const made = await send({ path: "/v1/api-keys", body });
    expect(made.json).toMatchObject({
      scopes: ["read"],
      expiresAt: "2099-12-31T22:00:00.000Z",
      lastUsedAt: null,
    });
    const { key, id, prefix } = made.json;
    expect(key.startsWith(prefix)).toBe(true);
    expect((await send({ method: "GET", path: "/v1/signals?limit=1", key })).status).toBe(200);
    expect((await send({ path: "/v1/signals", body: aSignal("no"), key })).status).toBe(403);
    expect((await send({ method: "GET", path: "/v1/api-keys", key })).status).toBe(403);
    const list = await send({ method: "GET", path: "/v1/api-keys?limit=500" });
    expect(list.json.apiKeys.find((one: { id: string }) => one.id === id)).toMatchObject({
      name: "ci",
      prefix,
    });
    expect(list.text).not.toContain(key);
    const remove = () => send({ method: "DELETE", path: `/v1/api-keys/${id}` });
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
    await until(
      "it to work no more",
      async () => (await send({ method: "GET", path: "/v1/signals?limit=1", key })).status === 401,
    );
    const past = await send({ path: "/v1/api-keys", body: { ...body, expiresAt: "2020-01-01T00:00:00Z" } });
    expect([past.status, past.json.errors[0].path]).toEqual([400, "expiresAt"]);
  });

  test("that are revoked work no more within 5 s, at no process", async () => {
    const other = await startTestServe(shared.engines);
    onTestFinished(() => other.stop());
    const { json } = await send({ path: "/v1/api-keys", body: { name: "brief", scopes: ["read"] } });
    const urls = [shared.serve.url, other.url];
    const statuses = () =>
      Promise.all(
        urls.map(
          async (url) =>
            (await send({ method: "GET", path: "/v1/signals?limit=1", key: json.key, url })).status,
        ),
      );
    // Both know it by now.
    expect(await statuses()).toEqual([200, 200]);
    const { status } = await send({ method: "DELETE", path: `/v1/api-keys/${json.id}` });
    const revokedAt = performance.now();
    expect(status).toBe(204);
    await until("both to refuse it", async () => (await statuses()).every((one) => one === 401));
    expect(performance.now() - revokedAt).toBeLessThan(5_000);
  });

  test("that are revoked close the streams that they opened", async () => {
    const { json } = await send({ path: "/v1/api-keys", body: { name: "stream", scopes: ["read"] } });
    const open = (key: string) =>
      new WebSocket(`${shared.serve.url.replace(/^http/, "ws")}/v1/stream`, {
        headers: { authorization: `Bearer ${key}` },
      });
    const [revoked, other] = [open(json.key), open(shared.serve.key)];
    const closed = new Promise<number>((resolve) => revoked.once("close", resolve));
    await Promise.all(
      [revoked, other].map((socket) => new Promise((resolve) => socket.once("open", resolve))),
    );
    await send({ method: "DELETE", path: `/v1/api-keys/${json.id}` });
    expect(await closed).toBe(4401);
    expect(other.readyState).toBe(WebSocket.OPEN);
    other.close();
  });
});
