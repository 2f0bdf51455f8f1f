import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { Api } from "../support/api.ts";
import { EventSourcePeer } from "../support/event-source.ts";
import { eventSteps } from "../support/events.ts";
import { signalId } from "../support/rows.ts";
import { sharedServe, startTestServe } from "../support/serve.ts";
import { until } from "../support/until.ts";

const shared = sharedServe();
let steps: ReturnType<typeof eventSteps>;
beforeAll(() => {
  steps = eventSteps(shared.engines);
});

const open = async (query = "", lastEventId?: string, serve: { url: string; key: string } = shared.serve) => {
  const peer = await EventSourcePeer.open(`${serve.url}/v1/events/stream${query}`, serve.key, lastEventId);
  onTestFinished(() => peer.end());
  return peer;
};
const append = async (...kinds: Parameters<typeof steps.next>[]) => {
  const events = kinds.map((kind) => steps.next(...kind));
  await steps.append(events);
  return events.map(({ event }) => event.id);
};
/** 2 MB in 100 events. */
const appendLarge = async () => {
  const reason = "x".repeat(20_000);
  const events = Array.from({ length: 100 }, () => {
    const { event, ...addressed } = steps.next(50, "source.disconnected");
    return { ...addressed, event: { ...event, data: { source: { id: "s", name: "s", reason } } } };
  });
  await steps.append(events);
  return events.map(({ event }) => event.id);
};
const Made = z.object({ id: z.string(), key: z.string() });
const metric = async (line: string) => (await shared.engines.telemetry.metrics.expose()).text.includes(line);
const listed = async (api: Api, query: Parameters<Api["events"]>[0] = {}) =>
  (await api.events(query)).map(({ id }) => id);

describe("server-sent events", () => {
  test("come as they happen, in order, with their ids and kinds, and no proxy is to hold them back", async () => {
    const peer = await open();
    expect(peer.status).toBe(200);
    expect(peer.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": expect.stringContaining("no-transform"),
      "x-accel-buffering": "no",
      "x-request-id": expect.stringMatching(/^req_/),
    });
    await until("the time to come back after", () => peer.retryMs === 2_000);
    const ids = await append([1, "signal.created"], [1, "signal.failed"], [2, "signal.created"]);
    await until("three events", () => peer.ids.length === 3);
    expect(peer.ids).toEqual(ids);
    expect(peer.kinds).toEqual(["signal.created", "signal.failed", "signal.created"]);
  });

  test("are those asked for, as GET /v1/events gives them", async () => {
    const failed = await open("?event=signal.failed&event=signal.deleted");
    const ofSeven = await open(`?signalId=${signalId(7)}`);
    const [a, b, c] = await append([7, "signal.created"], [8, "signal.failed"], [7, "signal.failed"]);
    await until("both", () => failed.ids.length === 2 && ofSeven.ids.length === 2);
    expect(failed.ids).toEqual([b, c]);
    expect(ofSeven.ids).toEqual([a, c]);
    expect(await listed(shared.serve.api, { signalId: signalId(7) })).toEqual(ofSeven.ids);
  });

  test("resume after the event named last, which counts more than the address", async () => {
    const ids = await append([3], [3], [3], [3]);
    const after = await open(`?after=${ids[0]}`);
    const seen = await open(`?after=${ids[0]}`, ids[2]);
    await until("the rest of both", () => after.ids.length >= 3 && seen.ids.length >= 1);
    const fresh = await append([3]);
    await until("the new event", () => after.ids.length >= 4 && seen.ids.length >= 2);
    expect(after.ids).toEqual([...ids.slice(1), ...fresh]);
    expect(seen.ids).toEqual([...ids.slice(3), ...fresh]);
  });

  test("begin with what is stored from a time on", async () => {
    const from = new Date(Date.UTC(2026, 0, 31)).toISOString();
    const all = await listed(shared.serve.api);
    const peer = await open(`?from=${from}`);
    await until("all of them", () => peer.ids.length >= all.length);
    expect(peer.ids).toEqual(all);
  });

  test.each([
    ["an after that nobody knows", "?after=evt_01JDA2V3Q8R5T7W9Y199999999", undefined, "after"],
    ["a last id that nobody knows", "", "evt_01JDA2V3Q8R5T7W9Y199999999", "Last-Event-ID"],
    ["a last id that is none", "", "17", "last-event-id"],
    ["a field that is none", "?limit=3", undefined, "limit"],
  ])("are refused with %s", async (_what, query, lastEventId, path) => {
    const peer = await open(query, lastEventId);
    await until("the problem", () => peer.isEnded);
    expect(peer.status).toBe(400);
    expect(JSON.parse(peer.body)).toMatchObject({ code: "validation_failed", errors: [{ path }] });
  });

  test("need a key", async () => {
    const answer = await fetch(`${shared.serve.url}/v1/events/stream`);
    expect(answer.status).toBe(401);
  });

  test("end with the key that opened them, within 5 s of its end", async () => {
    const made = await shared.serve.api.expect(Made, "POST", "/v1/api-keys", { name: "k", scopes: ["read"] });
    const peer = await open("", undefined, { url: shared.serve.url, key: made.key });
    const revokedAt = performance.now();
    await shared.serve.api.call("DELETE", `/v1/api-keys/${made.id}`);
    await until("the end", () => peer.isEnded);
    expect(performance.now() - revokedAt).toBeLessThan(5_000);
    expect(peer.comments.at(-1)).toBe("key_revoked");
  });
});

describe("an answer of server-sent events", () => {
  const other = async (limits: object) => {
    const serve = await startTestServe(shared.engines, { limits });
    onTestFinished(() => serve.stop());
    return serve;
  };

  test("is kept open by comments, and ended when the service stops", async () => {
    const serve = await other({ streamPingMs: 20 });
    const peer = await open("", undefined, serve);
    await until("a sign of life", () => peer.comments.length > 2);
    await serve.stop();
    await until("the end", () => peer.isEnded);
    expect(peer.comments.at(-1)).toBe("shutting down");
  });

  test("is refused while too many are open", async () => {
    const serve = await other({ streamClients: 1 });
    const first = await open("", undefined, serve);
    const second = await open("", undefined, serve);
    await until("the problem", () => second.isEnded);
    expect(second.status).toBe(429);
    expect(second.headers["retry-after"]).toBe("5");
    first.end();
    await until("the place to be free", async () => (await open("", undefined, serve)).status === 200);
  });

  test("whose reader does not keep up is ended, and nothing is lost when it comes back", async () => {
    const serve = await other({ streamBufferedBytes: 10_000, streamBehindEvents: 50, streamPingMs: 60_000 });
    const peer = await open("", undefined, serve);
    peer.pause();
    const sent: string[] = [];
    await until("the service to give up", async () => {
      sent.push(...(await appendLarge()));
      return metric('event_stream_dropped_total{reason="too_slow"} 1');
    });
    peer.resume();
    await until("the end", () => peer.isEnded);
    expect(peer.ids).toEqual(sent.slice(0, peer.ids.length));
    expect(peer.ids.length).toBeLessThan(sent.length);

    const again = await open("", peer.ids.at(-1), serve);
    await until("the rest", () => again.ids.length === sent.length - peer.ids.length);
    expect([...peer.ids, ...again.ids]).toEqual(sent);
  });

  test("whose reader is gone is noticed by its silence", async () => {
    const serve = await other({ streamBufferedBytes: 10_000, streamPingMs: 500 });
    const peer = await open("", undefined, serve);
    peer.pause();
    await until("the reader to be dropped", async () => {
      await appendLarge();
      return metric('event_stream_dropped_total{reason="dead_peer"}');
    });
  });
});
