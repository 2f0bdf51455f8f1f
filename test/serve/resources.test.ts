import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Signal } from "../../schemas/signal.ts";
import { sharedServe } from "../support/serve.ts";

const shared = sharedServe();

describe("signals over HTTP", () => {
  const Created = z.object({ signals: z.array(Signal).length(1) });

  test("are created, read, listed, changed and deleted", async () => {
    const { api } = shared.serve;
    const created = await api.call("POST", "/v1/signals", {
      name: "Roof link",
      threshold: 0.4,
      externalId: "roof-1",
      labels: { site: "north" },
    });
    expect(created.status).toBe(201);
    const [signal] = Created.parse(created.body).signals;
    expect(signal).toMatchObject({ status: "active", strength: null, sequence: 0, floorDbm: -100 });
    expect(created.headers.get("location")).toBe(`/v1/signals/${signal?.id}`);

    expect((await api.call("GET", `/v1/signals/${signal?.id}`)).body).toEqual(signal);
    const listed = await api.call("GET", "/v1/signals?label=site:north&q=ROOF&status=active");
    expect(listed.body).toEqual({ signals: [signal], nextCursor: null });

    const patched = await api.call("PATCH", `/v1/signals/${signal?.id}`, { status: "paused", name: "Mast" });
    expect(patched).toMatchObject({ status: 200, body: { name: "Mast", status: "paused" } });

    expect(await api.call("DELETE", `/v1/signals/${signal?.id}`)).toMatchObject({ status: 204, body: "" });
    expect((await api.call("GET", `/v1/signals/${signal?.id}`)).status).toBe(404);
  });

  test("a taken externalId is 409, a floor above the ceiling 400", async () => {
    const body = { name: "a", threshold: 0.5, externalId: "taken" };
    expect((await shared.serve.api.call("POST", "/v1/signals", body)).status).toBe(201);
    expect(await shared.serve.api.call("POST", "/v1/signals", body)).toMatchObject({
      status: 409,
      body: { code: "conflict", errors: [{ path: "externalId" }] },
    });
    const floor = { name: "a", threshold: 0.5, floorDbm: -40 };
    expect(await shared.serve.api.call("POST", "/v1/signals", floor)).toMatchObject({
      status: 400,
      body: { errors: [{ path: "floorDbm" }] },
    });
  });

  test("of several labels in a list all must match: one key with two values matches none", async () => {
    const { api } = shared.serve;
    for (const site of ["x", "y"])
      await api.call("POST", "/v1/signals", { name: site, threshold: 0.5, labels: { twice: site, a: "b" } });
    const Page = z.object({ signals: z.array(Signal), nextCursor: z.null() });
    const names = async (query: string) =>
      (await api.expect(Page, "GET", `/v1/signals?${query}`)).signals.map(({ name }) => name);
    expect(await names("label=twice:x&label=twice:y")).toEqual([]);
    expect(await names("label=twice:x&label=twice:x&label=a:b")).toEqual(["x"]);
  });

  test("a list in pages gives each signal once, also when one is added meanwhile", async () => {
    const label = { labels: { lot: "pages" }, threshold: 0.5 };
    for (let i = 0; i < 5; i++)
      await shared.serve.api.call("POST", "/v1/signals", { name: `p${i}`, ...label });
    const Page = z.object({ signals: z.array(Signal), nextCursor: z.string().nullable() });
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const more: string = cursor === null ? "" : `&cursor=${cursor}`;
      const path = `/v1/signals?label=lot:pages&sort=name&limit=2${more}`;
      const page: z.infer<typeof Page> = await shared.serve.api.expect(Page, "GET", path);
      names.push(...page.signals.map(({ name }) => name));
      if (cursor === null) await shared.serve.api.call("POST", "/v1/signals", { name: "p00", ...label });
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(names).toEqual(["p0", "p1", "p2", "p3", "p4"]);
  });

  test("the change stands in the log when the answer comes", async () => {
    const { relayed } = shared.engines.control.outbox;
    const before = await relayed.call(shared.engines.control.outbox);
    await shared.serve.api.call("POST", "/v1/signals", { name: "in the log", threshold: 0.5 });
    expect(await relayed.call(shared.engines.control.outbox)).toBeGreaterThan(before);
  });
});

describe("sources and rules over HTTP", () => {
  test.each([
    ["mapping", { mapping: { signal: "$.id", strength: "$[" } }],
    ["handshake.0.expect", { handshake: [{ expect: "$.[" }] }],
    ["url", { url: "ws://user:secret@example.org/" }],
    ["url", { url: "ws://example.org/feed#secret" }],
    ["url", { type: "http-poll", url: "http://example.org/feed?a=1#secret" }],
    ["url", { type: "http-stream", url: "http://example.org/#" }],
  ])("a source whose %s cannot be used is refused with the path of the mistake", async (path, settings) => {
    const source = { type: "websocket", name: "Broken", url: "ws://127.0.0.1:9/feed", ...settings };
    const answer = await shared.serve.api.call("POST", "/v1/integrations/sources", source);
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed", errors: [{ path }] } });
    expect(JSON.stringify(answer.body)).not.toContain("secret");
  });

  test("a source does not take the mask of a secret for the secret", async () => {
    const source = { type: "websocket", name: "Gateway", url: "ws://127.0.0.1:1/feed", enabled: false };
    const created = await shared.serve.api.call("POST", "/v1/integrations/sources", source);
    const answer = await shared.serve.api.call("PATCH", created.headers.get("location") ?? "", {
      url: "ws://127.0.0.1:1/feed?token=***",
      headers: { Authorization: "***" },
      subprotocols: ["v1", "***"],
      handshake: [{ send: "***" }],
      heartbeat: { intervalSeconds: 30, send: "***" },
    });
    const errors = ["url", "headers.Authorization", "subprotocols.1", "handshake.0.send", "heartbeat.send"];
    expect(answer).toMatchObject({ status: 400, body: { errors: errors.map((path) => ({ path })) } });
    const bare = await shared.serve.api.call("PATCH", created.headers.get("location") ?? "", {
      url: "ws://127.0.0.1:1/feed?***",
    });
    expect(bare).toMatchObject({ status: 400, body: { errors: [{ path: "url" }] } });
    const end = await shared.serve.api.call("PATCH", created.headers.get("location") ?? "", {
      url: "ws://127.0.0.1:1/feed#end",
    });
    expect(end).toMatchObject({ status: 400, body: { errors: [{ path: "url" }] } });
  });

  test("a source never shows what its address says in secret, nor what it sends", async () => {
    const source = {
      type: "websocket",
      name: "Gateway",
      url: "ws://127.0.0.1:1/feed?token=tell-nobody",
      headers: { Authorization: "Bearer tell-nobody" },
      subprotocols: ["v1", "tell-nobody"],
      handshake: [{ send: { token: "tell-nobody" } }],
      heartbeat: { intervalSeconds: 5, send: "tell-nobody" },
    };
    const created = await shared.serve.api.call("POST", "/v1/integrations/sources", source);
    expect(created).toMatchObject({
      status: 201,
      body: {
        url: "ws://127.0.0.1:1/feed?token=***",
        headers: { Authorization: "***" },
        subprotocols: ["***", "***"],
        handshake: [{ send: "***" }],
        heartbeat: { intervalSeconds: 5, expectWithinSeconds: 20, send: "***" },
        enabled: true,
      },
    });
    const path = created.headers.get("location") ?? "";
    const patched = await shared.serve.api.call("PATCH", path, { enabled: false });
    expect(patched).toMatchObject({ status: 200, body: { enabled: false } });
    for (const place of [path, "/v1/integrations/sources"]) {
      const { status, body } = await shared.serve.api.call("GET", place);
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toContain("tell-nobody");
    }
    expect((await shared.serve.api.call("GET", `${path}/rejections`)).body).toEqual({
      rejections: [],
      nextCursor: null,
    });
    expect((await shared.serve.api.call("PATCH", path, { seed: 3 })).status).toBe(400);
    expect((await shared.serve.api.call("DELETE", path)).status).toBe(204);
    for (const place of [path, `${path}/rejections`])
      expect((await shared.serve.api.call("GET", place)).status).toBe(404);
  });

  test.each(["http-poll", "http-stream"])("nor does one of type %s", async (type) => {
    const url = "http://127.0.0.1:1/feed?token=tell-nobody&page=1";
    const body = type === "http-poll" ? { method: "POST", body: { key: "tell-nobody" } } : {};
    const source = {
      type,
      name: "Gateway",
      url,
      headers: { "X-Key": "tell-nobody" },
      enabled: false,
      ...body,
    };
    const created = await shared.serve.api.call("POST", "/v1/integrations/sources", source);
    expect(created).toMatchObject({
      status: 201,
      body: { url: "http://127.0.0.1:1/feed?token=***&page=***", headers: { "X-Key": "***" } },
    });
    for (const place of [created.headers.get("location") ?? "", "/v1/integrations/sources"])
      expect(JSON.stringify((await shared.serve.api.call("GET", place)).body)).not.toContain("tell-nobody");
  });

  test("a rule is created, changed and deleted", async () => {
    const rule = { name: "low", condition: { operator: "below", value: -90 } };
    const created = await shared.serve.api.call("POST", "/v1/alerts/rules", rule);
    expect(created).toMatchObject({ status: 201, body: { severity: "warning", failsSignal: true } });
    const path = created.headers.get("location") ?? "";
    expect((await shared.serve.api.call("PATCH", path, { enabled: false })).body).toMatchObject({
      enabled: false,
    });
    expect((await shared.serve.api.call("GET", "/v1/alerts/rules")).body).toMatchObject({
      rules: [{ name: "low" }],
    });
    expect((await shared.serve.api.call("DELETE", path)).status).toBe(204);
    expect((await shared.serve.api.call("DELETE", path)).status).toBe(404);
    const never = { name: "never", condition: { operator: "below", value: 60 } };
    expect(await shared.serve.api.call("POST", "/v1/alerts/rules", never)).toMatchObject({
      status: 400,
      body: { errors: [{ path: "condition.value" }] },
    });
  });
});
