import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { EventId, type SignalId } from "../../schemas/common.ts";
import { EventsAnswer } from "../../schemas/event.ts";
import { Signal } from "../../schemas/signal.ts";
import { encodeLive } from "../../src/domain/live.ts";
import { eventSteps } from "../support/events.ts";
import { keyOfAnother } from "../support/other-account.ts";
import { sharedServe, startTestServe } from "../support/serve.ts";
import { StreamPeer } from "../support/stream-peer.ts";
import { until } from "../support/until.ts";

const shared = sharedServe();
let steps: ReturnType<typeof eventSteps>;
beforeAll(() => {
  steps = eventSteps(shared.engines);
});

const open = async (query = "", key: string | null = shared.serve.key) => {
  const peer = await StreamPeer.open(`${shared.serve.url}/v1/stream${query}`, key);
  onTestFinished(() => peer.end());
  return peer;
};
const Created = z.object({ signals: z.tuple([Signal]) });
const createSignal = async (more: object = {}): Promise<SignalId> => {
  const body = { name: "s", threshold: 0.5, ...more };
  return (await shared.serve.api.expect(Created, "POST", "/v1/signals", body)).signals[0].id;
};
const live = (...values: [signalId: string, strength: number][]) => {
  const { accountId } = shared.engines;
  const updates = values.map(([signalId, strength]) => ({
    signalId,
    accountId,
    strength,
    atMs: Date.UTC(2026, 0, 31),
    status: "active" as const,
  }));
  return shared.engines.log.append("live", [{ value: encodeLive(updates) }]);
};
const append = async (...kinds: Parameters<typeof steps.next>[]) => {
  const events = kinds.map((kind) => steps.next(...kind));
  await steps.append(events);
  return events.map(({ event }) => event.id);
};

const beginning = (peer: StreamPeer, id: string) =>
  peer.messages.find((message) => message.type === "subscribed" && message.id === id);

describe("who may open a stream", () => {
  test.each(["no key", "a wrong key"])("%s closes with 4401", async (which) => {
    const peer = await open("", which === "no key" ? null : "sos_wrong");
    expect(await peer.closed).toMatchObject({ code: 4401 });
  });

  test("a key without the scope read closes with 4401", async () => {
    const peer = await open("", await shared.engines.newKey("write"));
    expect(await peer.closed).toMatchObject({ code: 4401, reason: expect.stringContaining("read") });
  });

  test("a ticket opens one stream", async () => {
    const { body } = await shared.serve.api.call("POST", "/v1/stream/tickets");
    const { ticket } = z.object({ ticket: z.string() }).parse(body);
    const first = await open(`?ticket=${ticket}`, null);
    first.send({ type: "ping" });
    await until("a pong", () => first.messages.some(({ type }) => type === "pong"));
    expect(await (await open(`?ticket=${ticket}`, null)).closed).toMatchObject({ code: 4401 });
  });

  test("a request that is no WebSocket is a problem", async () => {
    expect(await shared.serve.api.call("GET", "/v1/stream")).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });
});

describe("readings on the stream", () => {
  test("begin with the newest values, then come as they change, with the signal's own quality", async () => {
    const id = await createSignal({ floorDbm: -120, ceilingDbm: -20 });
    await live([id, -70]);
    const peer = await open();
    await peer.subscribe("a", { readings: { signalIds: [id] } });
    await until("the snapshot", () => peer.strengths("a", id).length === 1);
    expect(peer.messages).toContainEqual({
      type: "readings",
      id: "a",
      readings: [
        { signalId: id, at: "2026-01-31T00:00:00.000Z", strength: -70, quality: 0.5, status: "active" },
      ],
    });
    await live([id, -60]);
    await until("the change", () => peer.strengths("a", id).includes(-60));
  });

  test("are those asked for: all, some, or by labels as they are now", async () => {
    const [north, south] = [
      await createSignal({ labels: { site: "n" } }),
      await createSignal({ labels: { site: "s" } }),
    ];
    await live([north, -41], [south, -42]);
    const peer = await open();
    await peer.subscribe("all", { readings: { signalIds: "all" } });
    await peer.subscribe("some", { readings: { signalIds: [south] } });
    await peer.subscribe("labels", { readings: { labels: { site: "n" } } });
    await until("all snapshots", () => peer.strengths("labels", north)[0] && peer.strengths("all", south)[0]);
    await live([north, -51], [south, -52]);
    await until("all changes", () => peer.strengths("all", south).includes(-52));
    await until("the labelled", () => peer.strengths("labels", north).includes(-51));
    expect(peer.strengths("some", north)).toEqual([]);
    expect(peer.strengths("labels", south)).toEqual([]);

    const signal = await shared.serve.api.expect(Signal, "PATCH", `/v1/signals/${south}`, {
      labels: { site: "n" },
    });
    const { event, ...addressed } = steps.next(90);
    await steps.append([{ ...addressed, signalId: south, event: { ...event, data: { signal } } }]);
    await until("the signal that came to match", () => peer.strengths("labels", south).includes(-52));
  });

  test("end for a signal that comes not to match, and match both ids and labels where both are named", async () => {
    const [leaves, stays, unnamed] = [
      await createSignal({ labels: { floor: "1" } }),
      await createSignal({ labels: { floor: "1" } }),
      await createSignal({ labels: { floor: "1" } }),
    ];
    const peer = await open();
    await peer.subscribe("a", { readings: { signalIds: [leaves, stays], labels: { floor: "1" } } });
    await live([leaves, -41], [stays, -41], [unnamed, -41]);
    await until("both", () => peer.strengths("a", leaves)[0] && peer.strengths("a", stays)[0]);
    const signal = await shared.serve.api.expect(Signal, "PATCH", `/v1/signals/${leaves}`, {
      labels: { floor: "2" },
    });
    await peer.subscribe("e", { events: {} });
    const { event, ...addressed } = steps.next(91);
    await steps.append([{ ...addressed, signalId: leaves, event: { ...event, data: { signal } } }]);
    await until("the change of labels", () => peer.events("e").length === 1);
    await live([leaves, -51], [stays, -51], [unnamed, -51]);
    await until("the one that matches", () => peer.strengths("a", stays).includes(-51));
    expect(peer.strengths("a", leaves)).toEqual([-41]);
    expect(peer.strengths("a", unnamed)).toEqual([]);
  });

  test("are conflated to the newest value at the pace asked for", async () => {
    const id = await createSignal();
    const peer = await open();
    await peer.subscribe("a", { readings: { signalIds: [id], maxPerSecond: 2 } });
    for (let i = 0; i < 50; i++) await live([id, -100 + i]);
    await until("the newest value", () => peer.strengths("a", id).at(-1) === -51);
    expect(peer.strengths("a", id).length).toBeLessThanOrEqual(4);
  });

  test("come as numbers in the compact format", async () => {
    const id = await createSignal();
    await live([id, -75.5]);
    const peer = await open();
    await peer.subscribe("c", { readings: { signalIds: [id] }, format: "compact" });
    await until("the snapshot", () => peer.strengths("c", id).length > 0);
    expect(peer.messages.slice(-2)).toEqual([
      { type: "signals", id: "c", handles: { 0: id } },
      { type: "readings", id: "c", base: Date.UTC(2026, 0, 31), readings: [[0, 0, -75.5, 0.49, 0]] },
    ]);
  });

  test("name signals that have never reported, for who asks for them", async () => {
    const [silent, reports] = [await createSignal(), await createSignal()];
    const { accountId } = shared.engines;
    const never = { signalId: silent, accountId, strength: null, atMs: null, status: "failed" as const };
    await shared.engines.log.append("live", [{ value: encodeLive([never]) }]);
    await live([reports, -60]);
    const signalIds = [silent, reports];
    const peer = await open();
    await peer.subscribe("without", { readings: { signalIds }, format: "compact" });
    await until("the reading", () => peer.strengths("without", reports).length > 0);
    await peer.subscribe("with", { readings: { signalIds, unreported: true }, format: "compact" });
    const told = (subscription: string) =>
      peer.messages.filter((message) => "id" in message && message.id === subscription).slice(1);
    await until("both", () => told("with").length === 2);
    expect(told("without")).toEqual([
      { type: "signals", id: "without", handles: { 0: reports } },
      { type: "readings", id: "without", base: Date.UTC(2026, 0, 31), readings: [[0, 0, -60, 0.8, 0]] },
    ]);
    expect(told("with")).toEqual([
      { type: "signals", id: "with", handles: { 0: silent, 1: reports } },
      {
        type: "readings",
        id: "with",
        base: Date.UTC(2026, 0, 31),
        readings: [
          [0, null, null, null, 1],
          [1, 0, -60, 0.8, 0],
        ],
      },
    ]);
  });

  test("end with the subscription", async () => {
    const id = await createSignal();
    const peer = await open();
    await peer.subscribe("a", { readings: { signalIds: "all" } });
    await peer.subscribe("b", { readings: { signalIds: "all" } });
    peer.send({ type: "unsubscribe", id: "a" });
    await until("the end", () => peer.messages.some(({ type }) => type === "unsubscribed"));
    await live([id, -33]);
    await until("the other", () => peer.strengths("b", id).includes(-33));
    expect(peer.strengths("a", id)).toEqual([]);
  });
});

describe("events on the stream", () => {
  test("come at once, in order, and only those asked for", async () => {
    const peer = await open();
    await peer.subscribe("e", { events: {} });
    await peer.subscribe("failed", { events: { types: ["signal.failed"] } });
    const ids = await append([1, "signal.created"], [1, "signal.failed"], [2, "signal.failed"]);
    await until("three events", () => peer.events("e").length === 3);
    expect(peer.events("e")).toEqual(ids);
    expect(peer.events("failed")).toEqual(ids.slice(1));
  });

  test("resume after any event without gap or repeat, from store, memory and live", async () => {
    const stored = await append([3], [3], [4]);
    await steps.record();
    const other = await startTestServe(shared.engines);
    onTestFinished(() => other.stop());
    const kept = await append([3], [4], [3]);
    const all = [...stored, ...kept];
    for (const [i, after] of all.slice(0, -1).entries()) {
      const peer = await StreamPeer.open(`${other.url}/v1/stream`, other.key);
      onTestFinished(() => peer.end());
      await peer.subscribe("r", { events: { after } });
      await until("the rest", () => peer.events("r").length >= all.length - i - 1);
      expect(peer.events("r")).toEqual(all.slice(i + 1));
      const fresh = await append([4]);
      await until("the new event", () => peer.events("r").at(-1) === fresh[0]);
      expect(peer.events("r")).toEqual([...all.slice(i + 1), ...fresh]);
      all.push(...fresh);
    }
  });

  test("begin after an event that is named, so that who loses them before the first one resumes there", async () => {
    const [one = "", two = ""] = await append([5], [5, "signal.failed"]);
    const known = await open();
    await known.subscribe("wait", { events: { after: one } });
    await until("the last event", () => known.events("wait").includes(EventId.parse(two)));
    const peer = await open();
    await peer.subscribe("a", { events: { types: ["signal.deleted"] } });
    await peer.subscribe("b", { events: { after: one } });
    await peer.subscribe("c", { readings: { signalIds: "all" } });
    await peer.subscribe("d", { events: { after: null } });
    expect(["a", "b", "c", "d"].map((id) => beginning(peer, id))).toEqual([
      { type: "subscribed", id: "a", after: two },
      { type: "subscribed", id: "b", after: one },
      { type: "subscribed", id: "c" },
      { type: "subscribed", id: "d", after: null },
    ]);
    await until("everything from the first event on", () => peer.events("d").includes(EventId.parse(two)));
    const { events } = await shared.serve.api.expect(EventsAnswer, "GET", "/v1/events?limit=500");
    expect(peer.events("d")).toEqual(events.map(({ id }) => id));
  });

  test("of an account without any begin before the first one", async () => {
    const other = await startTestServe(shared.engines);
    onTestFinished(() => other.stop());
    const key = await keyOfAnother(shared.engines);
    const peer = await StreamPeer.open(`${other.url}/v1/stream`, key);
    onTestFinished(() => peer.end());
    await peer.subscribe("a", { events: {} });
    expect(beginning(peer, "a")).toEqual({ type: "subscribed", id: "a", after: null });
  });

  test("cannot resume after what nobody knows", async () => {
    const peer = await open();
    const after = "evt_01JDA2V3Q8R5T7W9Y199999999";
    peer.send({ type: "subscribe", id: "x", events: { after } });
    await until("the refusal", () => peer.errors().some((detail) => detail.includes("events.after")));
    await peer.subscribe("x", { events: {} });
  });
});

describe("a stream", () => {
  test.each([
    ["no JSON", "nonsense"],
    ["an unknown type", { type: "shout" }],
    ["an unknown field", { type: "ping", loud: true }],
    ["a binary frame", Buffer.from([1, 2, 3])],
    ["a label that no record holds", '{"type":"subscribe","id":"a","readings":{"labels":{"__proto__":"x"}}}'],
    [
      "the unreported in a format whose readings have a strength",
      { type: "subscribe", id: "a", readings: { unreported: true } },
    ],
    ["a deep message", "[".repeat(5_000)],
  ])("with %s closes with 4400 and says why", async (_what, message) => {
    const peer = await open();
    peer.send(message);
    expect(await peer.closed).toMatchObject({ code: 4400 });
    expect(peer.errors()).toHaveLength(1);
  });

  test("refuses a subscription's name while it is used", async () => {
    const peer = await open();
    await peer.subscribe("a", { events: {} });
    peer.send({ type: "subscribe", id: "a", events: {} });
    await until("the refusal", () => peer.errors().length === 1);
  });

  test("says goodbye with 1001 when the service stops", async () => {
    const other = await startTestServe(shared.engines);
    const peer = await StreamPeer.open(`${other.url}/v1/stream`, other.key);
    await peer.subscribe("a", { events: {}, readings: {} });
    await other.stop();
    expect(await peer.closed).toMatchObject({ code: 1001 });
  });
});

describe("a peer that does not keep up", () => {
  const slow = async () => {
    const other = await startTestServe(shared.engines, {
      limits: { streamBufferedBytes: 10_000, streamBehindEvents: 50, streamPingMs: 1_000 },
    });
    onTestFinished(() => other.stop());
    const peer = await StreamPeer.open(`${other.url}/v1/stream`, other.key);
    onTestFinished(() => peer.end());
    return { other, peer };
  };
  const bigEvents = async (count: number) => {
    const reason = "x".repeat(20_000);
    const events = Array.from({ length: count }, () => {
      const { event, ...addressed } = steps.next(50, "source.disconnected");
      return { ...addressed, event: { ...event, data: { source: { id: "s", name: "s", reason } } } };
    });
    await steps.append(events);
    return events.map(({ event }) => event.id);
  };

  test("with events is closed with 4408 and told where to resume; nothing is lost", async () => {
    const { other, peer } = await slow();
    await peer.subscribe("e", { events: {} });
    peer.pause();
    const sent: string[] = [];
    await until("the service to give up", async () => {
      sent.push(...(await bigEvents(100)));
      const { text } = await shared.engines.telemetry.metrics.expose();
      return text.includes('stream_dropped_total{reason="too_slow"}');
    });
    peer.resume();
    const { code, reason } = await peer.closed;
    expect(code).toBe(4408);
    const got = peer.events("e");
    expect(got).toEqual(sent.slice(0, got.length));
    expect(got.length).toBeLessThan(sent.length);
    expect(reason).toContain(`after=${got.at(-1)}`);

    const again = await StreamPeer.open(`${other.url}/v1/stream`, other.key);
    onTestFinished(() => again.end());
    await again.subscribe("e", { events: { after: got.at(-1) } });
    await until("the rest", () => again.events("e").length === sent.length - got.length);
    expect([...got, ...again.events("e")]).toEqual(sent);
  });

  test("with readings gets the newest value when it is back, and no more than that", async () => {
    const { peer } = await slow();
    const ids = await Promise.all(Array.from({ length: 200 }, () => createSignal()));
    await peer.subscribe("r", { readings: { signalIds: ids } });
    peer.pause();
    for (let round = 0; round < 100; round++)
      await live(...ids.map((id): [string, number] => [id, -150 + round]));
    peer.resume();
    await until("the newest values", () => ids.every((id) => peer.strengths("r", id).at(-1) === -51));
    expect(peer.strengths("r", ids[0] ?? "").length).toBeLessThan(100);
  });

  test("and is gone is noticed by its silence", async () => {
    const { other, peer } = await slow();
    peer.pause();
    const clients = async () => {
      const { text } = await shared.engines.telemetry.metrics.expose();
      return text.includes('stream_dropped_total{reason="dead_peer"}');
    };
    await until("the peer to be dropped", clients);
    expect(other.url).toBeDefined();
  });
});
