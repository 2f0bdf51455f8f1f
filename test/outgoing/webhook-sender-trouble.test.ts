import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { arrived, RawFarEnd } from "../support/raw-far-end.ts";
import { until } from "../support/until.ts";
import { testSender } from "../support/webhook-sender.ts";

const OK = "HTTP/1.1 200 OK\r\n";
const LAST = `${OK}Connection: close\r\n`;
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const EMPTY = `${OK}Content-Length: 0\r\n\r\n`;

describe("an endpoint that keeps a webhook waiting", () => {
  it.each([
    ["before it answers", "", "it took the request, and said nothing", null],
    ["in the middle of its headers", `${OK}X-Half: `, "its headers did not end", null],
    ["after an interim answer", "HTTP/1.1 103 Early Hints\r\n\r\n", "nothing came after its HTTP 103", null],
    ["after one nobody asked for", "HTTP/1.1 100 Continue\r\n\r\n", "nothing came after its HTTP 100", null],
    [
      "in the middle of its body",
      `${OK}Content-Length: 9\r\n\r\nhal`,
      "the body of its HTTP 200 did not end",
      "hal",
    ],
    ["in the middle of a chunk", `${CHUNKED}5\r\nha`, "the body of its HTTP 200 did not end", "ha"],
  ])("%s is left after 15 s, with what had come", async (_, bytes, detail, responseBody) => {
    const farEnd = await RawFarEnd.start((socket) => socket.write(bytes));
    const { post, clock, sender } = testSender();
    const sent = post(farEnd.url);
    await until("the request came", () => farEnd.requests.length === 1);
    await arrived();
    clock.advance(14_999);
    expect(sender.counts().open).toBe(1);
    clock.advance(1);
    const result = { failure: "timeout", detail };
    expect(await sent).toEqual({ result, durationMs: 15_000, responseBody, retryAfterMs: null });
    await until("the far end sees it", () => farEnd.sockets[0]?.destroyed);
    expect(sender.counts().open).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ["its body", `${OK}Content-Length: 1000\r\n\r\n`, "x", "x".repeat(15)],
    ["its headers", `${OK}X-Slow: `, "x", null],
    ["interim answers", "HTTP/1.1 102 Processing\r\n\r\n", "HTTP/1.1 102 Processing\r\n\r\n", null],
  ])("by %s, a byte a second, is left after 15 s as well", async (_, head, drop, responseBody) => {
    const { post, clock } = testSender();
    const farEnd = await RawFarEnd.start((socket) => {
      socket.write(head);
      clock.every(1_000, () => socket.write(drop));
    });
    const sent = post(farEnd.url);
    await until("the request came", () => farEnd.requests.length === 1);
    for (let second = 0; second < 15; second++) {
      await arrived();
      // The deadline was set before, so it comes before the last drop; what drips counts for nothing.
      clock.advance(1_000);
    }
    const { result, durationMs, responseBody: kept } = await sent;
    expect([result, durationMs]).toMatchObject([{ failure: "timeout" }, 15_000]);
    expect(kept).toBe(responseBody === null ? null : responseBody.slice(1));
  });

  it("has said all that counts once 4 kB have come, and is cut where it goes on for ever", async () => {
    let writtenBytes = 0;
    const flood = (socket: Socket) => {
      while (!socket.destroyed && writtenBytes < 2 ** 30) {
        writtenBytes += 2 ** 16;
        if (!socket.write(Buffer.alloc(2 ** 16, "z"))) return socket.once("drain", () => flood(socket));
      }
      return socket;
    };
    const farEnd = await RawFarEnd.start((socket) => {
      socket.write(`${OK}Content-Length: ${2 ** 30}\r\n\r\n`);
      flood(socket);
    });
    const { post, sender } = testSender();
    const sent = await post(farEnd.url);
    expect(sent).toMatchObject({ result: { status: 200 }, responseBody: "z".repeat(4_096) });
    await until("the far end sees it", () => farEnd.sockets[0]?.destroyed);
    // What the two ends of a socket hold for each other, and no more.
    expect(writtenBytes).toBeLessThan(2 ** 25);
    expect(sender.counts().open).toBe(0);
  });

  it("after 4 kB of its body does not keep the connection longer than 15 s", async () => {
    const farEnd = await RawFarEnd.start((socket) => socket.write(`${CHUNKED}2000\r\n${"x".repeat(5_000)}`));
    const { post, clock, sender } = testSender();
    expect((await post(farEnd.url)).result).toEqual({ status: 200 });
    expect(sender.counts().open).toBe(1);
    clock.advance(15_000);
    expect(sender.counts().open).toBe(0);
  });
});

describe("an endpoint that closes the connection", () => {
  it.each([
    ["at once", "", "without a byte of an answer"],
    ["in its headers", `${OK}Content-Le`, "in the middle of its headers"],
    ["in its body", `${OK}Content-Length: 9\r\n\r\nhal`, "in the middle of the body of its HTTP 200"],
    ["in its last body", `${LAST}Content-Length: 9\r\n\r\nhal`, "in the middle of the body of its HTTP 200"],
    ["in a chunk", `${CHUNKED}5\r\nha`, "in the middle of the body of its HTTP 200"],
    [
      "in a last chunk",
      `${LAST}Transfer-Encoding: chunked\r\n\r\n5\r\nha`,
      "in the middle of the body of its HTTP 200",
    ],
    ["after an interim answer", "HTTP/1.1 103 Early Hints\r\n\r\n", "in the middle of its headers"],
  ])("%s has not answered, whether it ends or resets it", async (_, bytes, detail) => {
    const ends: ((socket: Socket) => void)[] = [
      (socket) => socket.end(),
      (socket) => socket.resetAndDestroy(),
    ];
    for (const end of ends) {
      const farEnd = await RawFarEnd.start((socket) => {
        if (bytes === "") end(socket);
        else socket.write(bytes, () => void arrived().then(() => end(socket)));
      });
      const { result } = await testSender().post(farEnd.url);
      expect(result).toEqual({ failure: "connection_closed", detail });
      // A connection that had not answered before is no reason to send again.
      expect(farEnd.requests).toHaveLength(1);
    }
  });

  it("has answered where the close is the end of the body", async () => {
    const farEnd = await RawFarEnd.start((socket) => socket.end("HTTP/1.0 202 Yes\r\n\r\nold but fine"));
    const { post } = testSender();
    const expected = { result: { status: 202 }, responseBody: "old but fine" };
    expect(await post(farEnd.url)).toMatchObject(expected);
    expect(await post(farEnd.url)).toMatchObject(expected);
    expect(farEnd.sockets).toHaveLength(2);
  });

  it("after its first answer is sent the next on a new connection, once, and that is no failure", async () => {
    const farEnd = await RawFarEnd.start((socket, _, connection) => {
      if (connection === 1 && farEnd.requests.length > 1) socket.resetAndDestroy();
      else socket.write(EMPTY);
    });
    const { post, sender } = testSender();
    expect((await post(farEnd.url)).result).toEqual({ status: 200 });
    expect((await post(farEnd.url)).result).toEqual({ status: 200 });
    expect([farEnd.requests.length, farEnd.sockets.length]).toEqual([3, 2]);
    expect(farEnd.requests[2]).toBe(farEnd.requests[1]);
    expect(sender.counts()).toEqual({ open: 1, idle: 1, waiting: 0 });
  });

  it("again and again after that has failed, and is not sent a third time", async () => {
    const farEnd = await RawFarEnd.start((socket, number) => {
      if (number === 1) socket.write(EMPTY);
      else socket.end();
    });
    const { post } = testSender();
    await post(farEnd.url);
    expect((await post(farEnd.url)).result).toMatchObject({ failure: "connection_closed" });
    expect(farEnd.requests).toHaveLength(3);
  });

  it("while it was idle is simply connected to again", async () => {
    const farEnd = await RawFarEnd.start((socket) => socket.end(EMPTY));
    const { post } = testSender();
    for (let time = 0; time < 5; time++) {
      expect((await post(farEnd.url)).result).toEqual({ status: 200 });
      await arrived();
    }
    expect(farEnd.requests).toHaveLength(5);
  });
});

describe("an endpoint that answers with junk", () => {
  it.each([
    ["no HTTP", "220 mail.example ESMTP ready\r\n", "it breaks the protocol (Expected HTTP/"],
    ["binary", "\u0000\u0001\u0002\u0003\r\n\r\n", "it breaks the protocol (Expected HTTP/"],
    ["another version", "HTTP/3.7 200 OK\r\n\r\n", "it breaks the protocol (Invalid HTTP version)"],
    [
      "two lengths",
      `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      "its Content-Length is not that of its body",
    ],
    ["bad chunks", `${CHUNKED}zz\r\n`, "in the body of its HTTP 200 (Invalid character in chunk size)"],
    ["large headers", `${OK}X-Big: ${"x".repeat(20_000)}\r\n\r\n`, "its headers are larger than 16 kB"],
    ["many headers", `${OK}${"X-Many: x\r\n".repeat(3_000)}\r\n`, "its headers are larger than 16 kB"],
    [
      "large trailers",
      `${CHUNKED}0\r\nX-Big: ${"x".repeat(20_000)}\r\n\r\n`,
      "its headers are larger than 16 kB",
    ],
    [
      "a new protocol",
      "HTTP/1.1 101 Over\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      "switches to another protocol",
    ],
    ["101 alone", "HTTP/1.1 101 Over\r\n\r\nwhatever", "switches to another protocol"],
    ["101 after 100", "HTTP/1.1 100 C\r\n\r\nHTTP/1.1 101 Over\r\n\r\n", "switches to another protocol"],
  ])("(%s) has given no valid answer", async (_, bytes, detail) => {
    const farEnd = await RawFarEnd.start((socket) => socket.write(bytes));
    const { post, sender } = testSender();
    const { result } = await post(farEnd.url);
    expect(result).toEqual({ failure: "response_invalid", detail: expect.stringContaining(detail) });
    expect(sender.counts().open).toBe(0);
  });

  it.each([
    [
      "interim answers first",
      `HTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 E\r\nLink: x\r\n\r\n${OK}Content-Length: 2\r\n\r\nok`,
    ],
    ["100 that nobody asked for", `HTTP/1.1 100 Continue\r\n\r\n${OK}Content-Length: 2\r\n\r\nok`],
    [
      "100 again and again, with headers, between others",
      `\r\nHTTP/1.1 100\r\nA: b\r\n\r\nHTTP/1.1 103 E\r\n\r\nHTTP/1.1 100 C\r\n\r\n${OK}Content-Length: 2\r\n\r\nok`,
    ],
    ["no reason in its status line", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok"],
    ["chunks, extensions and trailers", `${CHUNKED}1;a=b\r\no\r\n1\r\nk\r\n0\r\nX-Sum: 1\r\n\r\n`],
  ])("is one of the sort, as long as HTTP allows it: %s", async (_, bytes) => {
    const farEnd = await RawFarEnd.start((socket) => socket.write(bytes));
    expect(await testSender().post(farEnd.url)).toMatchObject({
      result: { status: 200 },
      responseBody: "ok",
    });
  });

  it("is taken at its word on a connection that it has used before, an interim answer first each time", async () => {
    const body = "HTTP/1.1 100 Continue\r\n\r\n";
    const farEnd = await RawFarEnd.start((socket) =>
      socket.write(`HTTP/1.1 100 Continue\r\n\r\n${OK}Content-Length: ${body.length}\r\n\r\n${body}`),
    );
    const { post } = testSender();
    const expected = { result: { status: 200 }, responseBody: body };
    for (let time = 0; time < 3; time++) expect(await post(farEnd.url)).toMatchObject(expected);
    expect(farEnd.sockets).toHaveLength(1);
  });

  it("beyond its answer is not taken for the answer to the next request", async () => {
    const farEnd = await RawFarEnd.start((socket, number) => {
      socket.write(number === 1 ? `${EMPTY}HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n` : EMPTY);
    });
    const { post } = testSender();
    expect((await post(farEnd.url)).result).toEqual({ status: 200 });
    expect((await post(farEnd.url)).result).toEqual({ status: 200 });
  });
});

describe("an endpoint of many that hangs", () => {
  it("delays no other, takes a bounded number of connections, and lets all go after 15 s", async () => {
    const hanging = await RawFarEnd.start();
    const healthy = await RawFarEnd.start((socket) => socket.write(EMPTY));
    const { post, sender, clock } = testSender();
    const stuck = Array.from({ length: 1_000 }, () => post(hanging.url));
    for (let time = 0; time < 100; time++) {
      expect((await post(healthy.url)).result).toEqual({ status: 200 });
    }
    await until("all its connections are taken", () => hanging.requests.length === 256);
    expect(sender.counts()).toEqual({ open: 257, idle: 1, waiting: 744 });
    clock.advance(15_000);
    const details = (await Promise.all(stuck)).map(({ result }) => "detail" in result && result.detail);
    const counted = Map.groupBy(details, (detail) => detail);
    expect(counted.get("it took the request, and said nothing")).toHaveLength(256);
    expect(counted.get("all of the 256 connections to its host were in use")).toHaveLength(744);
    expect(sender.counts()).toEqual({ open: 1, idle: 1, waiting: 0 });
    expect((await post(healthy.url)).result).toEqual({ status: 200 });
  });

  it("gives its connections to those that wait, when it answers at last", async () => {
    const waiting: Socket[] = [];
    const farEnd = await RawFarEnd.start((socket, number) => {
      if (number <= 2) waiting.push(socket);
      else socket.write(EMPTY);
    });
    const { post, sender } = testSender({ limits: { connectionsPerOrigin: 2 } });
    const all = Array.from({ length: 10 }, () => post(farEnd.url));
    await until("two have come", () => waiting.length === 2);
    expect(sender.counts()).toEqual({ open: 2, idle: 0, waiting: 8 });
    waiting[0]?.write(EMPTY);
    waiting[1]?.destroy();
    const results = (await Promise.all(all)).map(({ result }) =>
      "status" in result ? result.status : result.failure,
    );
    expect(results).toEqual([200, "connection_closed", ...Array(8).fill(200)]);
    expect(farEnd.sockets).toHaveLength(3);
  });

  it("keeps no more idle connections than it may, and none for an origin that is gone", async () => {
    const farEnds = await Promise.all(
      Array.from({ length: 5 }, () => RawFarEnd.start((one) => one.write(EMPTY))),
    );
    const { post, sender } = testSender({ limits: { idleConnections: 3 } });
    for (const { url } of farEnds) await post(url);
    expect(sender.counts()).toEqual({ open: 3, idle: 3, waiting: 0 });
    await until("the oldest is closed", () => farEnds[0]?.sockets[0]?.destroyed);
    for (const { sockets } of farEnds) for (const socket of sockets) socket.destroy();
    await until("the others are forgotten", () => sender.counts().open === 0);
  });
});
