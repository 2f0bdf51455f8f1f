import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Lookup } from "../../src/outgoing/guarded-lookup.ts";
import { TestIngest } from "../support/ingest.ts";
import { portOf } from "../support/port.ts";
import { until } from "../support/until.ts";

const SOURCES = [
  ["websocket", "ws"],
  ["websocket", "wss"],
  ["http-poll", "http"],
  ["http-poll", "https"],
  ["http-stream", "http"],
  ["http-stream", "https"],
] as const;

/** Each look-up gets the next of these answers, the last one for ever: whoever asks twice is told two things. */
const answering = (...answers: (readonly string[])[]) => {
  const asked: string[] = [];
  const lookup: Lookup = (name, _, callback) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(name);
    const found: LookupAddress[] = addresses.map((address) => ({ address, family: 4 }));
    queueMicrotask(() => callback(null, found));
  };
  return { asked, lookup };
};

/** Cuts off whoever begins to speak, in plain or by TLS, so that it connects again. */
const curtFarEnd = async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on("error", () => undefined).once("data", () => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { port: portOf(server), connections: () => connections };
};

const refusal = async (ingest: TestIngest, type: string, url: string, words: string): Promise<string> => {
  const id = await ingest.create({ type, url });
  return until(`${words} for ${type}`, async () => {
    const reason = (await ingest.status(id))?.stateReason ?? "";
    return reason.includes(words) ? reason : null;
  });
};

describe.each(SOURCES)("a source by %s, over %s", (type, scheme) => {
  it("connects to the address that was checked, and checks anew when it connects again", async () => {
    const far = await curtFarEnd();
    const { asked, lookup } = answering(["127.0.0.1"], ["169.254.169.254"]);
    const ingest = await TestIngest.start({ settings: { lookup } });
    const reason = await refusal(ingest, type, `${scheme}://feed.example:${far.port}/`, "link-local");
    expect(reason).toContain("169.254.169.254");
    // Had it been looked up once to check it and once more to connect, it would not have been here.
    expect(far.connections()).toBe(1);
    expect(asked.slice(0, 2)).toEqual(["feed.example", "feed.example"]);
  });

  it("connects to nothing if one of its name's addresses is refused", async () => {
    const far = await curtFarEnd();
    const { lookup } = answering(["8.8.8.8", "127.0.0.1"]);
    const ingest = await TestIngest.start({ settings: { lookup, allowPrivate: false } });
    await refusal(ingest, type, `${scheme}://feed.example:${far.port}/`, "private network");
    expect(far.connections()).toBe(0);
  });
});
