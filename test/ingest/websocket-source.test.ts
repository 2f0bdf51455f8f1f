import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { FarEnd } from "../support/far-end.ts";
import { TestIngest } from "../support/ingest.ts";
import { portOf } from "../support/port.ts";
import { until } from "../support/until.ts";

const reading = (id: string, rssi: number) => ({ id, rssi, at: "2026-01-01T00:00:00Z" });

describe("a WebSocket source", () => {
  it("carries readings to the log, behind their signals' definitions", async () => {
    const ingest = await TestIngest.start();
    const far = await FarEnd.start((client) =>
      client.send(JSON.stringify([reading("a", -70), reading("b", -71)])),
    );
    const id = await ingest.create({
      type: "websocket",
      url: far.url,
      headers: { "x-key": "k" },
      subprotocols: [],
    });
    const lines = await until("two lines", async () => {
      const found = await ingest.lines();
      return found.length === 2 ? found : null;
    });
    expect(lines.map(({ strength }) => strength).sort()).toEqual([-70, -71]);
    expect(far.requests[0]?.headers["x-key"]).toBe("k");
    const told = (await ingest.changes()).flatMap((change) =>
      change.type === "signal" ? change.signal : [],
    );
    expect(new Set(told.map((signal) => signal.id))).toEqual(new Set(lines.map(({ signalId }) => signalId)));
    expect(told.map(({ externalId }) => externalId).sort()).toEqual(["a", "b"]);
    const status = await until("the status", async () => {
      const found = await ingest.status(id);
      return found?.counters.readings === 2 ? found : null;
    });
    expect(status).toMatchObject({ state: "connected", counters: { messages: 1, readings: 2, rejected: 0 } });
    expect(await until("the event", async () => (await ingest.events()).at(0))).toBe("source.connected");
  });

  it("counts junk as rejections with their reasons, and goes on", async () => {
    const ingest = await TestIngest.start({ settings: { maxPayloadBytes: 10_000 } });
    const far = await FarEnd.start((client, number) => {
      if (number > 1) return client.send(JSON.stringify(reading("after", -50)));
      client.send("not json");
      client.send(Buffer.from([0xff, 0xfe, 0x00]), { binary: true });
      client.send(Buffer.from(JSON.stringify(reading("binary but JSON", -60))), { binary: true });
      client.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
      client.send(JSON.stringify({ type: "hello" }));
      client.send(JSON.stringify({ id: "a" }));
      client.send(JSON.stringify(reading("a", 51)));
      client.send(JSON.stringify({ ...reading("a", -50), at: "2999-01-01T00:00:00Z" }));
      client.send(JSON.stringify({ ...reading("a", -50), at: 1 }));
      client.send(JSON.stringify(reading("x".repeat(201), -50)));
      client.send(`${"[".repeat(4_000)}${"]".repeat(4_000)}`);
      client.send("x".repeat(10_001));
    });
    const id = await ingest.create({ type: "websocket", url: far.url });
    await until("the reading after the reconnect", async () => (await ingest.lines()).length === 2);
    const rejections = await until("the rejections", async () => {
      const found = await ingest.rejections(id);
      return found.length >= 10 ? found : null;
    });
    expect(rejections.map(({ reason }) => reason).sort()).toEqual([
      "binary_frame",
      "no_signal",
      "no_strength",
      "not_json",
      "not_json",
      "signal_name_invalid",
      "strength_out_of_range",
      "time_in_future",
      "time_too_old",
      "too_large",
    ]);
    expect(rejections.find(({ reason }) => reason === "no_strength")?.payload).toBe('{"id":"a"}');
    const counters = { messages: 13, readings: 2, skipped: 1, rejected: 10, reconnects: 1 };
    await until("the counters", async () => (await ingest.status(id))?.counters.readings === 2);
    expect((await ingest.status(id))?.counters).toEqual(counters);
  });

  it("goes through its handshake, and the awaited answers are not mapped", async () => {
    const ingest = await TestIngest.start();
    const heard: string[] = [];
    const far = await FarEnd.start((client) => {
      client.on("message", (data) => {
        heard.push(String(data));
        if (heard.length === 1) client.send("welcome, please authenticate");
        if (heard.length === 2) {
          client.send(JSON.stringify({ type: "auth", ok: true }));
          client.send(JSON.stringify(reading("a", -70)));
        }
      });
    });
    const id = await ingest.create({
      type: "websocket",
      url: far.url,
      handshake: [{ send: "hello" }, { expect: "welcome" }, { send: { token: "t" } }, { expect: "$.ok" }],
    });
    await until("the reading", async () => (await ingest.lines()).length === 1);
    expect(heard).toEqual(["hello", '{"token":"t"}']);
    await until("the counters", async () => (await ingest.status(id))?.counters.messages === 3);
    expect((await ingest.status(id))?.counters).toMatchObject({ skipped: 2, rejected: 0 });
  });

  it("says in which step of the handshake nothing came, and tries again", async () => {
    const ingest = await TestIngest.start();
    const far = await FarEnd.start();
    const id = await ingest.create({
      type: "websocket",
      url: far.url,
      handshake: [{ send: "hello" }, { expect: "$.ok", timeoutSeconds: 0.1 }],
    });
    const status = await until("the failure", async () => {
      const found = await ingest.status(id);
      return found?.stateReason == null ? null : found;
    });
    expect(status.stateReason).toContain("handshake step 2: no message with $.ok came within 0.1 s");
    await until("another try", () => far.requests.length > 1);
    expect(await ingest.events()).toEqual([]);
  });

  it("says what the far end said instead, as it closed the connection, and none of our secrets", async () => {
    const ingest = await TestIngest.start();
    const far = await FarEnd.start((client) =>
      client.on("message", (text) => {
        client.send(JSON.stringify({ type: "auth_invalid", message: `bad token ${text}` }));
        client.close();
      }),
    );
    const id = await ingest.create({
      type: "websocket",
      url: far.url,
      handshake: [{ send: "tell-nobody" }, { expect: "auth_ok" }],
    });
    const status = await until("the failure", async () => {
      const found = await ingest.status(id);
      return found?.stateReason == null ? null : found;
    });
    expect(status.stateReason).toMatch(/closed the connection .*handshake step 2 waited for auth_ok/);
    expect(status.stateReason).toContain('{"type":"auth_invalid","message":"bad token ***"}');
  });

  it("says in plain words why it cannot connect, and shows no secret of its address", async () => {
    const ingest = await TestIngest.start();
    const deaf = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    const refusing = await FarEnd.start(undefined, { verifyClient: (_info, done) => done(false, 401) });
    const closed = createServer().listen(0, "127.0.0.1");
    await until("the ports", () => closed.listening && deaf.listening);
    const closedPort = portOf(closed);
    closed.close();
    const urls = {
      refused: `ws://127.0.0.1:${closedPort}/?token=hidden`,
      "handshake with HTTP 401 Unauthorized": refusing.url,
      "cannot be resolved": "ws://nowhere.invalid/?token=hidden",
      "connecting to 127.0.0.1": `ws://127.0.0.1:${portOf(deaf)}/?token=hidden`,
      TLS: refusing.url.replace("ws:", "wss:"),
    };
    const sources = Object.entries(urls).map(async ([words, url]) => {
      const id = await ingest.create({ type: "websocket", url });
      const reason = await until(words, async () => (await ingest.status(id))?.stateReason);
      expect(reason).toContain(words);
      expect(reason).toContain("trying again in");
      expect(reason).not.toContain("hidden");
    });
    await Promise.all(sources);
    deaf.close();
  });

  it("connects again when the far end closes, and tells both in events", async () => {
    const ingest = await TestIngest.start();
    const far = await FarEnd.start((client, number) => {
      client.send(JSON.stringify(reading("a", -number)));
      if (number < 3) client.close(1012, "restarting");
    });
    const id = await ingest.create({ type: "websocket", url: far.url });
    await until("three connections' readings", async () => (await ingest.lines()).length === 3);
    const kinds = await until("the events", async () => {
      const found = await ingest.events();
      return found.length >= 5 ? found : null;
    });
    const pair = [
      "source.connected",
      "source.disconnected: it closed the connection with code 1012: restarting",
    ];
    expect(kinds).toEqual([...pair, ...pair, "source.connected"]);
    await until("the counter", async () => (await ingest.status(id))?.counters.reconnects === 2);
  });

  it("notices a dead peer by its heartbeat", async () => {
    const ingest = await TestIngest.start();
    const far = await FarEnd.start(undefined, { autoPong: false });
    const heartbeat = { intervalSeconds: 1, expectWithinSeconds: 1 };
    await ingest.create({ type: "websocket", url: far.url, heartbeat });
    const events = await until("the death", async () => {
      const found = await ingest.events();
      return found.length > 1 ? found : null;
    });
    expect(events[1]).toBe("source.disconnected: no sign of life came within 1 s of a heartbeat");
  });

  it("never connects to a link-local address", async () => {
    const ingest = await TestIngest.start();
    const hosts = ["169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "0xa9fea9fe", "2852039166"];
    const sources = hosts.map(async (host) => {
      const id = await ingest.create({ type: "websocket", url: `ws://${host}/` });
      const status = await until(host, async () => {
        const found = await ingest.status(id);
        return found?.state === "failed" ? found : null;
      });
      expect(status.stateReason).toContain("link-local");
    });
    await Promise.all(sources);
  });

  it("says what is wrong with a mapping that cannot be used", async () => {
    const ingest = await TestIngest.start();
    const far = await FarEnd.start();
    const mapping = { signal: "$.id[", strength: "$.rssi" };
    const id = await ingest.create({ type: "websocket", url: far.url, mapping });
    const status = await until("the failure", async () => {
      const found = await ingest.status(id);
      return found?.state === "failed" ? found : null;
    });
    expect(status.stateReason).toContain("mapping: $.id[ is no JSONPath");
  });
});
