import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { Problem } from "../../schemas/problem.ts";
import { Source } from "../../schemas/source.ts";
import { Api } from "../support/api.ts";
import { sharedServe } from "../support/serve.ts";
import { until } from "../support/until.ts";

const shared = sharedServe();
const ID = "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9";
const SOURCE = "src_01JDA2V3Q8R5T7W9Y1B3D5F7H9";

const errorsOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  Problem.parse(body).errors?.map(({ path, message }) => `${path} ${message}`.trim()),
];

describe("what a route does not name is refused", () => {
  test.each([
    ["GET", `/v1/signals/${ID}`],
    ["PATCH", `/v1/signals/${ID}`],
    ["DELETE", `/v1/signals/${ID}`],
    ["POST", "/v1/signals"],
    ["POST", "/v1/stream/tickets"],
    ["GET", "/v1/status"],
    ["GET", "/v1/stream"],
  ])("in the query of %s %s", async (method, path) => {
    const bodies: Record<string, object> = { PATCH: { name: "a" }, POST: { name: "a", threshold: 0.5 } };
    const body = path.endsWith("tickets") ? undefined : bodies[method];
    const answer = await shared.serve.api.call(method, `${path}?dryRun=1`, body);
    expect(errorsOf(answer)).toEqual([400, ["dryRun is not a known field"]]);
  });

  test.each([
    ["POST", "/v1/stream/tickets"],
    ["POST", `/v1/integrations/sources/${SOURCE}/test`],
    ["POST", `/v1/integrations/sources/${SOURCE}/rejections/retry`],
    ["DELETE", `/v1/signals/${ID}`],
  ])("in the body of %s %s", async (method, path) => {
    const { api } = shared.serve;
    const answer = await api.call(method, path, { limit: 5 });
    expect(errorsOf(answer)).toEqual([400, ["limit is not a known field"]]);
    expect((await api.call(method, path, [1])).status).toBe(400);
    expect((await api.call(method, path, {})).status).not.toBe(400);
  });
});

test("a missing body, a parameter given twice, and a span that ends before it begins are called that", async () => {
  const { api } = shared.serve;
  expect(errorsOf(await api.call("POST", "/v1/signals"))).toEqual([400, ["a body is needed"]]);
  expect(errorsOf(await api.call("GET", "/v1/signals?limit=1&limit=2"))).toEqual([
    400,
    ["limit is given twice"],
  ]);
  for (const path of ["/v1/events", "/v1/events/stream"]) {
    const span = `${path}?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z`;
    expect(errorsOf(await api.call("GET", span))).toEqual([400, ["from must be before to"]]);
  }
});

test("a body that is packed or written in other letters is 415 everywhere", async () => {
  const { api } = shared.serve;
  const source = await api.expect(Source, "POST", "/v1/integrations/sources", { type: "push", name: "p" });
  for (const path of ["/v1/signals", "/v1/signals/batch", `/v1/integrations/sources/${source.id}/push`])
    for (const headers of [
      { "content-encoding": "gzip", "content-type": "application/json" },
      { "content-type": "application/json; charset=iso-8859-1" },
      { "content-type": 'application/json; Charset="UTF-16"' },
    ]) {
      const response = await fetch(api.url + path, {
        method: "POST",
        headers: { ...api.authorization, ...headers },
        body: '{"name":"a","threshold":0.5}',
      });
      expect([path, headers, response.status]).toEqual([path, headers, 415]);
    }
  const plain = await fetch(`${api.url}/v1/signals`, {
    method: "POST",
    headers: {
      ...api.authorization,
      "content-encoding": "identity",
      "content-type": "application/json;charset=UTF-8",
    },
    body: '{"name":"a","threshold":0.5}',
  });
  expect(plain.status).toBe(201);
});

/** What comes back for these lines, until the connection ends or a whole problem is there. */
const raw = (lines: readonly string[], timeoutMs = 5_000) =>
  new Promise<string>((resolve) => {
    const socket = connect(Number(new URL(shared.serve.url).port), "127.0.0.1");
    let text = "";
    const done = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(timeoutMs, done);
    socket.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\r\n\r\n{")) done();
    });
    socket.on("close", done);
    socket.on("error", done);
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  });
const UPGRADE = ["Host: localhost", "Connection: Upgrade", "Upgrade: websocket"];
const SOUND = ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="];

test.each([
  ["no Host", ["GET /v1/status HTTP/1.1"], 400],
  ["an expectation", ["GET /v1/status HTTP/1.1", "Host: localhost", "Expect: foo"], 417],
  ["an upgrade without a key", ["GET /v1/stream HTTP/1.1", ...UPGRADE, "Sec-WebSocket-Version: 13"], 400],
  [
    "an upgrade of another version",
    ["GET /v1/stream HTTP/1.1", ...UPGRADE, "Sec-WebSocket-Version: 7", "Sec-WebSocket-Key: x"],
    400,
  ],
  ["an upgrade of no path", ["GET /v1/nowhere HTTP/1.1", ...UPGRADE, ...SOUND], 404],
  ["an upgrade of another path", ["GET /v1/signals HTTP/1.1", ...UPGRADE, ...SOUND], 401],
  ["an upgrade by POST", ["POST /v1/stream HTTP/1.1", "Content-Length: 0", ...UPGRADE, ...SOUND], 405],
])("%s is answered with a problem under an id", async (_what, lines, status) => {
  const text = await raw(lines);
  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  const id = /\r\nx-request-id: (req_\w+)\r\n/i.exec(text)?.[1];
  expect(text).toMatch(/\r\ncontent-type: application\/problem\+json/i);
  expect(text).toContain(`"requestId":"${id}"`);
});

test("an upgrade to another protocol is answered as if nobody had asked for it", async () => {
  const h2c = ["Host: localhost", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c"];
  expect(await raw(["GET /health/live HTTP/1.1", ...h2c])).toMatch(/^HTTP\/1\.1 200 /);
});

test("who hangs up in the middle of a body is counted, and is no failure of ours", async () => {
  const { url, key } = shared.serve;
  const count = async (name: string) => {
    const { body } = await new Api(url, "").call("GET", "/metrics");
    return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(String(body))?.[1] ?? 0);
  };
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const head = ["POST /v1/signals HTTP/1.1", "Host: localhost", `Authorization: Bearer ${key}`];
  socket.write(
    `${[...head, "Content-Type: application/json", "Content-Length: 100"].join("\r\n")}\r\n\r\n{"name":`,
    () => socket.resetAndDestroy(),
  );
  await until("the hang-up to be counted", async () => (await count("request_aborted_total")) === 1);
  const { body } = await new Api(url, "").call("GET", "/metrics");
  expect(body).not.toMatch(/http_requests_total\{.*status="500"\}/);
});
