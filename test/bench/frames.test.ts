import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { externalIdOf, type Feed, makeFrames } from "../../bench/frames.ts";
import { Lane } from "../../bench/lane.ts";
import { compileMapping } from "../../src/domain/mapping/compile.ts";
import { portOf } from "../support/port.ts";
import { until } from "../support/until.ts";

const FEEDS: Record<string, Feed> = {
  "a hundred readings a frame": { signals: 1_000, readingsPerFrame: 100, shape: "default" },
  "one reading a frame": { signals: 1_000, readingsPerFrame: 1, shape: "default" },
  "uplinks heard by ten gateways": { signals: 1_000, readingsPerFrame: 10, shape: "ttn-v3" },
};

/** What a WebSocket client gets of a lane that sends so many frames. */
const received = async (feed: Feed, send: (lane: Lane) => void, frames: number): Promise<string[]> => {
  const server = createServer();
  const acceptor = new WebSocketServer({ noServer: true });
  const lane = new Lane(feed, 0, feed.signals);
  server.on("upgrade", (request, socket, head) =>
    acceptor.handleUpgrade(request, socket, head, () => lane.connect(request.socket)),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = new WebSocket(`ws://127.0.0.1:${portOf(server)}/`);
  onTestFinished(() => {
    client.terminate();
    server.close();
  });
  const texts: string[] = [];
  client.on("message", (data) => texts.push(data.toString()));
  await once(client, "open");
  await until("the lane to be connected", () => lane.connected);
  send(lane);
  await until(`${frames} frames`, () => texts.length >= frames);
  return texts;
};

/** Names and strengths in the order of their coming, as the service reads frames. */
const readingsIn = (feed: Feed, texts: readonly string[]) => {
  const outcome = compileMapping({ preset: feed.shape });
  if (!outcome.ok) throw new Error(outcome.message);
  const readings: { name: string; atMs: number; strength: number }[] = [];
  const refuse = () => {
    throw new Error("a frame of which no reading is made");
  };
  for (const text of texts)
    outcome.mapping.map(JSON.parse(text), 0, {
      reading: (name, atMs, strength) => readings.push({ name, atMs, strength }),
      skipped: refuse,
      rejected: refuse,
    });
  return readings;
};

/** Of a frame of 126 to 65,535 bytes, whose payload has four bytes before it (RFC 6455, section 5.2). */
const textIn = (frame: Buffer): string => frame.subarray(4).toString();

for (const [what, feed] of Object.entries(FEEDS)) {
  const perRound = feed.signals / feed.readingsPerFrame;

  test(`of ${what}, the service reads every signal in turn, and none fails`, async () => {
    const texts = await received(feed, (lane) => lane.send(2 * perRound), 2 * perRound);
    const readings = readingsIn(feed, texts);
    const names = Array.from({ length: feed.signals }, (_, signal) => externalIdOf(signal, feed));
    expect(readings.map(({ name }) => name)).toEqual([...names, ...names]);
    expect(readings.every(({ strength }) => strength > -50)).toBe(true);
  });

  test(`of ${what}, a bad frame fails the one signal that it says`, async () => {
    const failed: (number | null)[] = [];
    const send = (lane: Lane) => {
      lane.send(3);
      failed.push(lane.sendBad(7));
      lane.send(1);
    };
    const bad = readingsIn(feed, await received(feed, send, 5)).filter(({ strength }) => strength < -50);
    expect(bad.map(({ name }) => name)).toEqual(failed.map((signal) => externalIdOf(signal ?? -1, feed)));
  });
}

test("uplinks carry the time that their sender was told last", async () => {
  const feed: Feed = { signals: 20, readingsPerFrame: 10, shape: "ttn-v3" };
  const at = new Date("2030-01-02T03:04:05.678Z");
  const send = (lane: Lane) => {
    lane.tell(at);
    lane.send(2);
  };
  const readings = readingsIn(feed, await received(feed, send, 2));
  expect(new Set(readings.map(({ atMs }) => atMs))).toEqual(new Set([at.getTime()]));
});

test("a flood comes whole, round after round, and from the beginning once all that was made has gone out", async () => {
  const feed: Feed = { signals: 1_000, readingsPerFrame: 100, shape: "default" };
  const { bytes, starts } = makeFrames(feed, 0, feed.signals);
  const made = starts.slice(1).map((end, at) => textIn(bytes.subarray(starts[at], end)));
  expect(new Set(made).size).toBe(200);
  const frames = 2 * made.length + 10;
  const texts = await received(feed, (lane) => lane.flood(true), frames);
  const wanted = [...made, ...made, ...made.slice(0, 10)];
  expect(readingsIn(feed, texts.slice(0, frames))).toEqual(readingsIn(feed, wanted));
});
