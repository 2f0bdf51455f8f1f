import { describe, expect, onTestFinished, test } from "vitest";
import type { ServeLimits } from "../../src/serve/settings.ts";
import { signalId } from "../support/partition.ts";
import { sharedServe, startTestServe } from "../support/serve.ts";
import { StreamPeer } from "../support/stream-peer.ts";
import { until } from "../support/until.ts";

const shared = sharedServe();

const open = async ({ url, key } = { url: shared.serve.url, key: shared.serve.key }) => {
  const peer = await StreamPeer.open(`${url}/v1/stream`, key);
  onTestFinished(() => peer.end());
  return peer;
};
const other = async (limits: Partial<ServeLimits>) => {
  const serve = await startTestServe(shared.engines, { limits });
  onTestFinished(() => serve.stop());
  return serve;
};
const answersPing = async (peer: StreamPeer) => {
  peer.send({ type: "ping" });
  await until("a pong", () => peer.messages.at(-1)?.type === "pong");
};

describe("a peer of the stream that asks for too much", () => {
  test("is refused a twenty-first subscription, and keeps the others", async () => {
    const peer = await open();
    for (let n = 1; n <= 20; n++) await peer.subscribe(`s${n}`, { events: {} });
    peer.send({ type: "subscribe", id: "s21", events: {} });
    await until("the refusal", () => peer.messages.at(-1)?.type === "error");
    expect(peer.messages.at(-1)).toMatchObject({ id: "s21", code: "conflict" });
    peer.send({ type: "unsubscribe", id: "s1" });
    await peer.subscribe("s21", { events: {} });
  });

  test("is refused more than 20,000 named signals in all, of readings and events together", async () => {
    const peer = await open();
    const signalIds = Array.from({ length: 10_000 }, (_, n) => signalId(n));
    await peer.subscribe("a", { readings: { signalIds } });
    await peer.subscribe("b", { events: { signalIds } });
    peer.send({ type: "subscribe", id: "c", events: { signalIds: [signalId(1)] } });
    await until("the refusal", () => peer.messages.at(-1)?.type === "error");
    expect(peer.messages.at(-1)).toMatchObject({ id: "c", code: "conflict" });
    await answersPing(peer);
  });

  test.each([
    ["more than ten values a second", { readings: { maxPerSecond: 11 } }],
    [
      "10,001 signals at once",
      { readings: { signalIds: Array.from({ length: 10_001 }, () => signalId(1)) } },
    ],
    ["a signal that can be none", { events: { signalIds: ["1"] } }],
    ["another format", { readings: {}, format: "xml" }],
  ])("is closed with 4400 for %s", async (_what, subscription) => {
    const peer = await open();
    peer.send({ type: "subscribe", id: "a", ...subscription });
    expect(await peer.closed).toMatchObject({ code: 4400 });
    expect(peer.messages.at(-1)).toMatchObject({ type: "error", code: "validation_failed" });
  });

  test("is closed with 4400 when it talks without a pause", async () => {
    const peer = await open();
    for (let n = 0; n < 200; n++) peer.send({ type: "ping" });
    expect(await peer.closed).toMatchObject({ code: 4400, reason: "too many messages" });
    expect(peer.messages.at(-1)).toMatchObject({ type: "error", code: "rate_limited" });
    expect(peer.messages.length).toBeLessThan(150);
  });

  test("is told what is wrong with an unsubscription, and stays", async () => {
    const peer = await open();
    peer.send({ type: "unsubscribe", id: "nothing" });
    await until("the error", () => peer.messages.at(-1)?.type === "error");
    expect(peer.messages.at(-1)).toMatchObject({ id: "nothing", code: "not_found" });
    await answersPing(peer);
  });
});

describe("a frame that breaks the protocol closes with its own code (RFC 6455, 7.4.1)", () => {
  test("a message larger than a body may be: 1009", async () => {
    const peer = await open();
    peer.send(`{"type":"ping"}${" ".repeat(1024 * 1024)}`);
    expect(await peer.closed).toMatchObject({ code: 1009 });
  });

  test("text that is not UTF-8: 1007", async () => {
    const peer = await open();
    peer.sendText(Buffer.from([0x7b, 0xff, 0x7d]));
    expect(await peer.closed).toMatchObject({ code: 1007 });
  });
});

describe("an open stream", () => {
  test("is pinged, and stays open for as long as the peer answers", async () => {
    const peer = await open(await other({ streamPingMs: 50 }));
    await until("some pings", () => peer.pings >= 4);
    await answersPing(peer);
  });

  test("is refused with 1013 while too many are open", async () => {
    const serve = await other({ streamClients: 1 });
    const first = await open(serve);
    await answersPing(first);
    expect(await (await open(serve)).closed).toMatchObject({ code: 1013 });
    first.end();
    await until("the place to be free", async () => {
      const peer = await open(serve);
      peer.send({ type: "ping" });
      return Promise.race([peer.closed.then(() => false), until("a pong", () => peer.messages.length > 0)]);
    });
  });
});
