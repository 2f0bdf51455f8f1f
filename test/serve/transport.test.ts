import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ServeSettings } from "../../src/serve/settings.ts";
import { openTestEngines, startTestServe, type TestEngines } from "../support/serve.ts";

const pem = (name: string) => readFileSync(new URL(`../support/tls/${name}`, import.meta.url), "utf8");

let engines: TestEngines;
beforeAll(async () => {
  engines = await openTestEngines();
});
afterAll(() => engines.close());

const start = async (settings: Partial<ServeSettings>) => {
  const serve = await startTestServe(engines, settings);
  onTestFinished(() => serve.stop());
  return serve;
};
const connected = async (url: string): Promise<Socket> => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, "connect");
  return socket;
};
const everything = async (socket: Socket): Promise<string> => {
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text;
};

test("the server speaks TLS itself", async () => {
  const cert = pem("cert.pem");
  const serve = await start({ tls: { cert, key: pem("key.pem") } });
  expect(serve.url).toMatch(/^https:/);
  const call = request(`${serve.url}/health/live`, { ca: cert, servername: "localhost" });
  call.end();
  const [response] = await once(call, "response");
  expect(response.statusCode).toBe(200);
  response.resume();
});

describe("behind a proxy", () => {
  test("only what came by https is answered, but for health", async () => {
    const serve = await start({ trustProxy: true });
    const ask = (path: string, proto?: string) =>
      fetch(serve.url + path, {
        headers: {
          authorization: `Bearer ${serve.key}`,
          ...(proto === undefined ? {} : { "x-forwarded-proto": proto }),
        },
      });
    expect((await ask("/v1/signals", "https")).status).toBe(200);
    expect((await ask("/v1/signals", "http")).status).toBe(400);
    expect((await ask("/v1/signals")).status).toBe(400);
    expect((await ask("/health/live")).status).toBe(200);
  });

  test("metrics need a key with the scope admin, for every peer looks local", async () => {
    const serve = await start({ trustProxy: true });
    const reads = await engines.newKey("read");
    const ask = (key: string | null) =>
      fetch(`${serve.url}/metrics`, { headers: key === null ? {} : { authorization: `Bearer ${key}` } });
    expect((await ask(null)).status).toBe(401);
    expect((await ask(reads)).status).toBe(403);
    expect((await ask(serve.key)).status).toBe(200);
  });
});

describe("a peer that dawdles", () => {
  test("with its headers is told so and cut off", async () => {
    const serve = await start({ limits: { headersTimeoutMs: 200 } });
    const socket = await connected(serve.url);
    socket.write("GET /health/live HTTP/1.1\r\nHost: x\r\n");
    expect(await everything(socket)).toMatch(/^HTTP\/1\.1 400 [\s\S]*did not arrive in time/);
  });

  test("with its body does not hold up the shutdown", async () => {
    const serve = await start({ limits: { stopTimeoutMs: 200 } });
    const socket = await connected(serve.url);
    const head = `POST /v1/signals HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${serve.key}\r\n`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{`);
    // The answer to a second connection says that the first one has been seen.
    await serve.api.call("GET", "/health/live");
    const ended = once(socket, "close");
    await serve.stop();
    await ended;
  });
});

test("a request in flight is answered before the service ends", async () => {
  const serve = await start({});
  const body = { name: "in flight", threshold: 0.5 };
  const calls = Array.from({ length: 20 }, () => serve.api.call("POST", "/v1/signals", body));
  const first = await Promise.race(calls);
  await serve.stop();
  expect(first.status).toBe(201);
  const settled = await Promise.allSettled(calls);
  const answered = settled.filter(({ status }) => status === "fulfilled");
  expect(answered.length).toBeGreaterThan(0);
  for (const one of settled) if (one.status === "fulfilled") expect(one.value.status).toBe(201);
  await expect(fetch(serve.url)).rejects.toThrow();
});
