import { getEventListeners, once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { SenderClosedError } from "../../src/outgoing/sending.ts";
import { portOf } from "../support/port.ts";
import { arrived, RawFarEnd } from "../support/raw-far-end.ts";
import { until } from "../support/until.ts";
import { testSender } from "../support/webhook-sender.ts";

const httpServer = async (listener: RequestListener) => {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${portOf(server)}/hook`;
};

const answering = (status: number, headers: Record<string, string>, body: string | Buffer = "") =>
  httpServer((request, response) => {
    request.resume().on("end", () => response.writeHead(status, headers).end(body));
  });

describe("the sender of webhooks", () => {
  it("posts the body byte for byte, with the headers that it is given and what JSON needs", async () => {
    let seen: IncomingMessage | undefined;
    let body = Buffer.alloc(0);
    const url = await httpServer(async (request, response) => {
      seen = request;
      body = await buffer(request);
      response.end("thanks");
    });
    const { sender } = testSender();
    const sent = await sender.send({
      url: `${url}/é?a=b&c=%20`,
      headers: { "User-Agent": "Signals/1", "webhook-id": "evt_1", "X-Service-Event": "signal.failed" },
      body: Buffer.from('{"name":"Näher"}'),
      signal: new AbortController().signal,
    });
    expect(sent).toEqual({
      result: { status: 200 },
      durationMs: 0,
      responseBody: "thanks",
      retryAfterMs: null,
    });
    expect(seen).toMatchObject({ method: "POST", url: "/hook/%C3%A9?a=b&c=%20" });
    expect(seen?.headers).toEqual({
      host: new URL(url).host,
      connection: "keep-alive",
      "content-type": "application/json",
      "content-length": "17",
      "accept-encoding": "identity",
      "user-agent": "Signals/1",
      "webhook-id": "evt_1",
      "x-service-event": "signal.failed",
    });
    expect(body.toString()).toBe('{"name":"Näher"}');
  });

  it("hands through every status from 200 to 599, over one connection", async () => {
    const ports = new Set<number | undefined>();
    const url = await httpServer((request, response) => {
      ports.add(request.socket.remotePort);
      const status = Number(request.headers["x-service-event"]);
      request.resume().on("end", () => response.writeHead(status).end());
    });
    const { sender } = testSender();
    const signal = new AbortController().signal;
    for (let status = 200; status < 600; status++) {
      const headers = { "X-Service-Event": String(status) };
      const { result } = await sender.send({ url, headers, body: "{}", signal });
      expect(result).toEqual({ status });
    }
    expect(ports.size).toBe(1);
    expect(sender.counts()).toEqual({ open: 1, idle: 1, waiting: 0 });
  });

  it.each(["http://169.254.169.254/latest/meta-data/", "/hook", "http://127.0.0.1:1/"])(
    "does not follow a redirect to %s",
    async (location) => {
      const farEnd = await RawFarEnd.start((socket) =>
        socket.write(`HTTP/1.1 307 Gone there\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`),
      );
      expect((await testSender().post(farEnd.url)).result).toEqual({ status: 307 });
      expect(farEnd.requests).toHaveLength(1);
    },
  );

  it.each([
    ["120", 120_000],
    ["7200", 7_200_000],
    ["Thu, 01 Jan 2026 06:00:00 GMT", 21_600_000],
    ["9999999", 86_400_000],
    ["9".repeat(400), 86_400_000],
    ["Wednesday, 31-Dec-25 23:00:00 GMT", 0],
    ["Thu Jan  1 01:00:00 2026", 3_600_000],
    ["2026-01-01T02:00:00+01:00", 3_600_000],
    ["Thu, 01 Jan 3026 00:00:00 GMT", 86_400_000],
    ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
    ["0", 0],
    ["soon", null],
    ["in 2027", null],
    ["60 seconds", null],
    ["120s", null],
    ["-5", null],
    ["1.5", null],
    ["1e9", null],
    ["Thu, 99 Foo 2026 06:00:00 GMT", null],
    ["2026-01-01T06:00:00", null],
  ])("reads Retry-After: %s, up to a day", async (header, expected) => {
    const url = await answering(503, { "Retry-After": header });
    expect(await testSender().post(url)).toMatchObject({ result: { status: 503 }, retryAfterMs: expected });
  });

  it("keeps 4 kB of an answer as text, whatever bytes it is made of", async () => {
    const { post } = testSender();
    const kept = async (body: string | Buffer) => (await post(await answering(200, {}, body))).responseBody;
    expect(await kept("")).toBe("");
    expect(await kept("a\u0000b\u001b[31m\tc\r\n\u202ed\u0085")).toBe("ab[31m\tc\r\nd");
    expect(await kept("x".repeat(5_000))).toBe("x".repeat(4_096));
    // 4,096 is no multiple of 3: the character that was cut is left out.
    expect(await kept("€".repeat(5_000))).toBe("€".repeat(1_365));
    expect(await kept(`x${"😀".repeat(2_000)}`)).toBe(`x${"😀".repeat(1_023)}`);
    // Each byte that is no UTF-8 becomes three.
    expect(await kept(Buffer.alloc(5_000, 0xff))).toBe("\ufffd".repeat(1_365));
  });

  it("leaves a packed answer packed", async () => {
    const url = await answering(200, { "content-encoding": "gzip" }, Buffer.from([0x1f, 0x8b, 8, 0, 65]));
    expect((await testSender().post(url)).responseBody).toBe("\ufffdA");
  });

  it("uses a connection again after an answer that is longer than what is kept", async () => {
    const farEnd = await RawFarEnd.start((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n${"y".repeat(50_000)}`);
    });
    const { post, sender } = testSender();
    expect((await post(farEnd.url)).responseBody).toHaveLength(4_096);
    await until("the rest was read", () => sender.counts().idle === 1);
    await post(farEnd.url);
    expect(farEnd.sockets).toHaveLength(1);
  });

  it("stops when it is told to, and says why", async () => {
    const farEnd = await RawFarEnd.start();
    const { post, sender, clock } = testSender();
    const stop = new AbortController();
    const sent = post(farEnd.url, stop.signal);
    await until("the request came", () => farEnd.requests.length === 1);
    stop.abort(new Error("shutting down"));
    await expect(sent).rejects.toThrow("shutting down");
    await expect(post(farEnd.url, stop.signal)).rejects.toThrow("shutting down");
    await until("the far end sees it", () => farEnd.sockets[0]?.destroyed);
    expect(sender.counts()).toEqual({ open: 0, idle: 0, waiting: 0 });
    expect(clock.pending).toBe(0);
  });

  it("leaves nothing behind at a signal that many sends share", async () => {
    const url = await answering(200, {});
    const { post } = testSender();
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 50 }, () => post(url, signal)));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("breaks off what is under way when it is closed, and what is on its way to a connection", async () => {
    const farEnd = await RawFarEnd.start();
    let asked = 0;
    const lookup = () => asked++;
    const { post, sender, clock } = testSender({ lookup });
    const sent = [post(farEnd.url), post("http://silent.example/")].map((one) => one.catch(String));
    await until("the request came", () => farEnd.requests.length === 1 && asked === 1);
    await sender.close();
    expect(await Promise.all(sent)).toEqual(Array(2).fill("SenderClosedError: the sender was closed"));
    await expect(post(farEnd.url)).rejects.toBeInstanceOf(SenderClosedError);
    await arrived();
    expect(clock.pending).toBe(0);
  });

  it("tells a mistake of its caller's from a failure of the endpoint", async () => {
    const signal = new AbortController().signal;
    const { sender } = testSender();
    const url = await answering(200, {});
    await expect(sender.send({ url, headers: { "a b": "c" }, body: "{}", signal })).rejects.toThrow("header");
    expect(sender.counts().open).toBe(0);
  });
});
