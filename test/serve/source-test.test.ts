import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { SourceCreate } from "../../schemas/source.ts";
import { SourceTestAnswer } from "../../schemas/source-actions.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import type { CompiledMapping } from "../../src/domain/mapping/visitor.ts";
import { SourceTrial } from "../../src/serve/trial/source-trial.ts";
import type { Lookup } from "../../src/sources/address-guard.ts";
import { CONNECTION_DEFAULTS } from "../../src/sources/source.ts";
import { ManualClock } from "../support/clock.ts";
import { FarEnd } from "../support/far-end.ts";
import { HttpFarEnd } from "../support/http-far-end.ts";
import { recordsOf } from "../support/ingest.ts";
import { chirpStackUplink, thingsStackJoin, thingsStackUplink } from "../support/lorawan.ts";
import { sharedServe, startTestServe, type TestServe } from "../support/serve.ts";
import { until } from "../support/until.ts";

const shared = sharedServe();
const SOURCES = "/v1/integrations/sources";
const LINES = { "content-type": "application/x-ndjson" };
const tried = async (source: object, api: TestServe["api"] = shared.serve.api) =>
  api.expect(SourceTestAnswer, "POST", `${SOURCES}/test`, { name: "tried", ...source });
/** A name of which one address is harmless, and another is not. */
const resolvesToBoth: Lookup = (_host, _options, callback) =>
  callback(null, [
    { address: "127.0.0.1", family: 4 },
    { address: "169.254.169.254", family: 4 },
  ]);
const linesFarEnd = (...messages: unknown[]) =>
  HttpFarEnd.start((response) => {
    response.writeHead(200, LINES).end(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  });

const trialOf = (settings: SourceCreate, mapping: CompiledMapping, clock: ManualClock) => {
  const fault = (error: unknown) => {
    throw error;
  };
  const options = {
    clock,
    entropy: systemEntropy,
    connection: CONNECTION_DEFAULTS,
    retentionRawDays: null,
    fault,
  };
  return new SourceTrial(options, settings, mapping);
};

describe("a source that is tried", () => {
  test("shows its handshake, its first 20 messages and what they map to, without what was sent, and stores nothing", async () => {
    const before = (await recordsOf(shared.engines.log, "readings")).length;
    const far = await FarEnd.start((client) => {
      client.send("hello");
      client.on("message", (data) => {
        client.send(`welcome, ${data}`);
        client.send('{"id":"tried-1","rssi":-61.5,"at":"2026-01-31T09:30:00Z","key":"s3cret-token"}');
        client.send('{"id":"tried-1","rssi":"weak"}');
        for (let n = 0; n < 30; n++) client.send('{"hello":1}');
      });
    });
    const answer = await tried({
      type: "websocket",
      url: far.url,
      handshake: [{ expect: "hello" }, { send: "s3cret-token" }, { expect: "welcome" }],
    });
    expect(answer).toMatchObject({
      connected: true,
      reason: null,
      handshake: [
        { step: 1, expect: "hello", ok: true, came: "hello" },
        { step: 2, expect: null, ok: true, came: null },
        { step: 3, expect: "welcome", ok: true, came: "welcome, ***" },
      ],
    });
    expect(answer.messages).toHaveLength(20);
    expect(answer.messages.slice(0, 3)).toEqual([
      {
        payload: '{"id":"tried-1","rssi":-61.5,"at":"2026-01-31T09:30:00Z","key":"***"}',
        mapped: 1,
        skipped: 0,
        rejected: 0,
        readings: [{ signal: "tried-1", at: "2026-01-31T09:30:00.000Z", strength: -61.5 }],
        rejections: [],
      },
      {
        payload: '{"id":"tried-1","rssi":"weak"}',
        mapped: 0,
        skipped: 0,
        rejected: 1,
        readings: [],
        rejections: [{ reason: "strength_not_a_number", detail: "the strength is no number" }],
      },
      { payload: '{"hello":1}', mapped: 0, skipped: 1, rejected: 0, readings: [], rejections: [] },
    ]);
    expect((await shared.serve.api.call("GET", "/v1/signals?q=tried-1")).body).toMatchObject({ signals: [] });
    expect(await recordsOf(shared.engines.log, "readings")).toHaveLength(before);
    await until("the connection to be closed", () => far.server.clients.size === 0);
  });

  test("shows real uplinks as each preset takes them apart", async () => {
    const stack = await linesFarEnd(thingsStackJoin, thingsStackUplink);
    const stream = { type: "http-stream", url: stack.url, mapping: { preset: "ttn-v3" } };
    const { connected, reason, messages } = await tried(stream);
    expect([connected, reason]).toEqual([true, "it ended the stream"]);
    expect(messages).toMatchObject([
      { skipped: 1, readings: [] },
      {
        mapped: 2,
        readings: [
          { signal: "water-meter-17/town-hall", at: "2026-01-31T09:30:00.123Z", strength: -97 },
          { signal: "water-meter-17/water-tower", strength: -113 },
        ],
      },
    ]);
    const chirp = await HttpFarEnd.start((response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(chirpStackUplink));
    });
    const poll = { type: "http-poll", url: chirp.url, mapping: { preset: "chirpstack-v4" } };
    expect(await tried(poll)).toMatchObject({
      connected: true,
      reason: null,
      messages: [
        { mapped: 2, readings: [{ signal: "70b3d57ed0061234/0016c001f0000001", strength: -97 }, {}] },
      ],
    });
    expect(chirp.asked).toHaveLength(1);
  });

  test("says how far the handshake came, and what came instead", async () => {
    const far = await FarEnd.start((client) => client.send('{"error":"who are you?"}'));
    const handshake = [{ expect: "welcome", timeoutSeconds: 0.2 }];
    const answer = await tried({ type: "websocket", url: far.url, handshake });
    expect(answer).toMatchObject({
      connected: false,
      reason: expect.stringContaining("handshake step 1: no message with welcome came within 0.2 s"),
      handshake: [{ step: 1, expect: "welcome", ok: false, came: '{"error":"who are you?"}' }],
      messages: [{ payload: '{"error":"who are you?"}' }],
    });
    const leaving = await FarEnd.start((client) => client.close(1008, "no"));
    expect(await tried({ type: "websocket", url: leaving.url, handshake })).toMatchObject({
      connected: false,
      handshake: [{ step: 1, ok: false, came: null }],
    });
  });

  test("is heard out beyond its first 20 messages while its handshake waits", async () => {
    const far = await FarEnd.start((client) => {
      for (let n = 0; n < 40; n++) client.send(`{"tick":${n}}`);
      client.send('{"subscribed":true}');
    });
    const answer = await tried({ type: "websocket", url: far.url, handshake: [{ expect: "$.subscribed" }] });
    expect(answer).toMatchObject({ connected: true, reason: null, handshake: [{ step: 1, ok: true }] });
    expect(answer.messages.map(({ payload }) => payload)).toEqual(
      Array.from({ length: 20 }, (_, n) => `{"tick":${n}}`),
    );
  });

  test("that never says what its handshake waits for names the step, and what came last", async () => {
    const clock = new ManualClock();
    const far = await FarEnd.start((client) => {
      for (let n = 0; n < 40; n++) client.send(`{"tick":${n}}`);
    });
    const reached = Promise.withResolvers<void>();
    const mapping = { map: () => reached.resolve(), labels: () => ({}) };
    const handshake = [{ expect: "$.subscribed", timeoutSeconds: 60 }];
    const settings = SourceCreate.parse({ type: "websocket", name: "tried", url: far.url, handshake });
    const answer = trialOf(settings, mapping, clock).run(new AbortController().signal);
    await reached.promise;
    clock.advance(10_000);
    expect(await answer).toMatchObject({
      connected: false,
      reason: expect.stringMatching(
        /^it was not connected within 10 s: handshake step 1 waited for \$\.subscribed, and nothing that came has it; what came last: \{"tick":\d+\}$/,
      ),
      handshake: [{ step: 1, expect: "$.subscribed", ok: false }],
    });
  });

  test("is refused at addresses that no source may have, however they are come by", async () => {
    const guarded = async (intake: object) => {
      const serve = await startTestServe(shared.engines, { intake });
      onTestFinished(() => serve.stop());
      return serve.api;
    };
    const reasonOf = async (source: object, api?: TestServe["api"]) => {
      const { connected, reason } = await tried(source, api);
      expect(connected).toBe(false);
      return reason;
    };
    const far = await linesFarEnd({ id: "inside", rssi: -60 });
    for (const [type, scheme] of [
      ["websocket", "ws"],
      ["http-poll", "http"],
      ["http-stream", "http"],
    ]) {
      for (const host of ["169.254.169.254", "0xa9fea9fe", "[::ffff:169.254.169.254]", "[fe80::1]"])
        expect(await reasonOf({ type, url: `${scheme}://${host}/` })).toContain("link-local");
      const outside = await guarded({ allowPrivate: false });
      const rebound = await guarded({ lookup: resolvesToBoth });
      expect(await reasonOf({ type, url: `${scheme}://feed.example:${far.port}/` }, rebound)).toContain(
        "link-local",
      );
      for (const host of ["127.0.0.1", "localhost", "[::1]", "2130706433"])
        expect(await reasonOf({ type, url: `${scheme}://${host}:${far.port}/` }, outside)).toContain(
          "private network",
        );
    }
    expect(far.asked).toHaveLength(0);
  });

  test("is not led elsewhere by a redirect", async () => {
    const secret = await linesFarEnd({ id: "inside", rssi: -60 });
    const far = await HttpFarEnd.start((response) => {
      response.writeHead(302, { location: secret.url }).end();
    });
    for (const [type, url] of [
      ["http-poll", far.url],
      ["http-stream", far.url],
      ["websocket", far.url.replace("http", "ws")],
    ]) {
      const { connected, reason } = await tried({ type, url });
      expect([connected, reason]).toEqual([false, expect.stringContaining("302")]);
    }
    expect(secret.asked).toHaveLength(0);
  });

  test("once it is saved is tried with its secrets, which its messages do not show", async () => {
    const far = await HttpFarEnd.start((response, { headers }) => {
      response
        .writeHead(200, LINES)
        .end(`${JSON.stringify({ id: "saved", rssi: -60, seen: headers["x-key"] })}\n`);
    });
    const source = {
      type: "http-poll",
      name: "saved",
      url: far.url,
      enabled: false,
      headers: { "X-Key": "s3cret-key" },
    };
    const { id } = await shared.serve.api.expect(z.looseObject({ id: z.string() }), "POST", SOURCES, source);
    const answer = await shared.serve.api.expect(SourceTestAnswer, "POST", `${SOURCES}/${id}/test`);
    expect(answer.messages).toMatchObject([{ payload: '{"id":"saved","rssi":-60,"seen":"***"}', mapped: 1 }]);
    expect(far.asked[0]?.headers["x-key"]).toBe("s3cret-key");
    expect((await shared.serve.api.call("GET", `${SOURCES}/${id}`)).body).toMatchObject({
      lastMessageAt: null,
      counters: { messages: 0 },
    });
    const none = await shared.serve.api.call("POST", `${SOURCES}/src_00000000000000000000000000/test`);
    expect(none.status).toBe(404);
  });

  test("shows readings of unknown signals as rejected where they would be", async () => {
    const signal = { name: "known", threshold: 0.2, externalId: "tried-known" };
    await shared.serve.api.call("POST", "/v1/signals", signal);
    const far = await linesFarEnd([
      { id: "tried-known", rssi: -60 },
      { id: "tried-unknown", rssi: -60 },
    ]);
    const { messages } = await tried({ type: "http-stream", url: far.url, unknownSignals: "reject" });
    expect(messages).toMatchObject([
      {
        mapped: 1,
        rejected: 1,
        readings: [{ signal: "tried-known" }],
        rejections: [{ reason: "unknown_signal", detail: "no signal is called tried-unknown" }],
      },
    ]);
  });

  test("must be one that can be: its mistakes are named before anything connects", async () => {
    const refused = async (source: object) => {
      const { status, body } = await shared.serve.api.call("POST", `${SOURCES}/test`, {
        name: "tried",
        ...source,
      });
      return [
        status,
        z.object({ errors: z.array(z.object({ path: z.string() })) }).parse(body).errors[0]?.path,
      ];
    };
    expect(await refused({ type: "push" })).toEqual([400, "type"]);
    expect(await refused({ type: "http-poll", url: "ftp://feed.example" })).toEqual([400, "url"]);
    const url = "http://127.0.0.1:1/";
    expect(await refused({ type: "http-poll", url, mapping: { signal: "$[", strength: "$.a" } })).toEqual([
      400,
      "mapping",
    ]);
    expect(await refused({ type: "http-poll", url, headers: { a: "***" } })).toEqual([400, "headers.a"]);
  });

  test("ends after ten seconds, and with the service", async () => {
    const heard = Promise.withResolvers<void>();
    const mapping = { map: () => heard.resolve(), labels: () => ({}) };
    const far = await HttpFarEnd.start((response) => {
      response.writeHead(200, LINES).write("{}\n");
    });
    const silent = await HttpFarEnd.start(() => undefined);
    const trial = (url: string, clock: ManualClock) =>
      trialOf(SourceCreate.parse({ type: "http-stream", name: "tried", url }), mapping, clock);
    const clock = new ManualClock();
    const never = new AbortController().signal;
    const quiet = trial(far.url, clock).run(never);
    const late = trial(silent.url, clock).run(never);
    await until("both to be asked", () => far.asked.length + silent.asked.length === 2);
    await heard.promise;
    clock.advance(9_999);
    expect(await Promise.race([quiet, late, Promise.resolve("open")])).toBe("open");
    clock.advance(1);
    expect(await quiet).toMatchObject({ connected: true, reason: null, durationMs: 10_000 });
    expect(await late).toMatchObject({ connected: false, reason: expect.stringContaining("within 10 s") });
    const stopping = new AbortController();
    const cut = trial(far.url, clock).run(stopping.signal);
    await until("it to be asked", () => far.asked.length === 2);
    stopping.abort();
    expect(await cut).toMatchObject({ reason: "the service stops" });
  });
});
