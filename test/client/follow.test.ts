import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { Inbox, type LiveMessage } from "../../src/client/inbox.ts";
import type { ConnectionState } from "../../src/client/reconnecting.ts";
import { eventSteps } from "../support/events.ts";
import { freePorts } from "../support/free-ports.ts";
import { Relay } from "../support/relay.ts";
import { event, signalId } from "../support/rows.ts";
import { openTestEngines, sharedServe, startTestServe, type TestServe } from "../support/serve.ts";
import { until } from "../support/until.ts";

const shared = sharedServe();
let steps: ReturnType<typeof eventSteps>;
beforeAll(() => {
  steps = eventSteps(shared.engines);
});
const append = async (count: number): Promise<string[]> => {
  const events = Array.from({ length: count }, () => steps.next(1));
  await steps.append(events);
  return events.map(({ event }) => event.id);
};

const quickly = { random: () => 0, bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };
const clientOf = ({ url, key }: Pick<TestServe, "url" | "key">) =>
  createClient({ url, apiKey: key, retries: 0, entropy: quickly });
type Client = ReturnType<typeof clientOf>;

/** Reads in the background, and keeps the ids of events; `ended` tells how it ended. */
const follow = (start: (options: object) => AsyncIterable<LiveMessage | { id: string }>) => {
  const stop = new AbortController();
  const ids: string[] = [];
  const connections: ConnectionState[] = [];
  const options = { signal: stop.signal, onConnection: (one: ConnectionState) => connections.push(one) };
  const read = async () => {
    for await (const one of start(options)) {
      if ("id" in one) ids.push(one.id);
      else if (one.type === "event") ids.push(one.event.id);
    }
  };
  const ended = read().then(
    () => null,
    (error: unknown) => error,
  );
  const opened = (times: number) =>
    until(`${times} connections`, () => connections.filter(({ state }) => state === "open").length >= times);
  onTestFinished(() => stop.abort());
  return { ids, connections, ended, opened, stop: () => stop.abort() };
};

const WAYS: [string, (client: Client, after?: string) => ReturnType<typeof follow>][] = [
  ["live", (client, after) => follow((options) => client.live({ events: after ? { after } : {} }, options))],
  ["events", (client, after) => follow((options) => client.events(after ? { after } : {}, options))],
];

describe.each(WAYS)("following what happens: %s", (_name, following) => {
  test("gives events as they happen, after one that is named, until it is told to stop", async () => {
    const [first, ...rest] = await append(3);
    const told = following(clientOf(shared.serve), first);
    await told.opened(1);
    const fresh = await append(2);
    await until("all events", () => told.ids.length >= 4);
    expect(told.ids).toEqual([...rest, ...fresh]);
    told.stop();
    expect(await told.ended).toBeNull();
  });

  test("goes on after a restart of the service, with nothing missed and nothing repeated", async () => {
    const serve = await startTestServe(shared.engines);
    const told = following(clientOf(serve));
    await told.opened(1);
    const ids = await append(2);
    await until("two events", () => told.ids.length === 2);
    await serve.stop();
    await until("the loss", () => told.connections.some(({ state }) => state === "lost"));
    ids.push(...(await append(3)));
    const again = await startTestServe(shared.engines, { port: Number(new URL(serve.url).port) });
    onTestFinished(() => again.stop());
    await told.opened(2);
    ids.push(...(await append(1)));
    await until("all events", () => told.ids.length >= ids.length);
    expect(told.ids).toEqual(ids);
  });

  test("throws at once where nobody is there, the key is wrong, or what is asked for cannot be", async () => {
    const nowhere = following(
      clientOf({ ...shared.serve, url: `http://127.0.0.1:${(await freePorts(1))[0]}` }),
    );
    expect(await nowhere.ended).toMatchObject({ name: "UnreachableError" });
    const stranger = following(clientOf({ ...shared.serve, key: "sos_none" }));
    expect(await stranger.ended).toMatchObject({ code: "unauthorized" });
    const unknown = following(clientOf(shared.serve), "evt_01JDA2V3Q8R5T7W9Y1ZZZZZZZZ");
    expect(await unknown.ended).toMatchObject({ status: 400, code: "validation_failed" });
  });

  test("ends with the key that it came with", async () => {
    const name = "brief";
    const admin = clientOf(shared.serve);
    const { id, key } = await admin.post("/v1/api-keys", { body: { name, scopes: ["read"] } });
    const told = following(clientOf({ url: shared.serve.url, key }));
    await told.opened(1);
    await admin.delete("/v1/api-keys/{id}", { params: { path: { id } } });
    expect(await told.ended).toMatchObject({ code: "unauthorized" });
  });
});

describe("a live stream that is cut before its first event", () => {
  test.each([
    ["behind events that are stored", 2, true],
    ["behind events in memory", 2, false],
    ["before the first event of all", 0, false],
  ])("%s misses nothing", async (_where, before, isStored) => {
    const engines = await openTestEngines();
    onTestFinished(() => engines.close());
    const own = eventSteps(engines);
    const append = async (count: number): Promise<string[]> => {
      const events = Array.from({ length: count }, () => own.next(1));
      await own.append(events);
      return events.map(({ event }) => event.id);
    };
    await append(before);
    if (isStored) await own.record();
    const serve = await startTestServe(engines);
    onTestFinished(() => serve.stop());
    const relay = await Relay.start(serve.url);
    const fetchFirst = Promise.withResolvers<void>();
    let tickets = 0;
    const client = createClient({
      url: relay.url,
      apiKey: serve.key,
      entropy: quickly,
      // The second connection waits until something has happened meanwhile.
      fetch: async (...asked) => {
        if (++tickets === 2) await fetchFirst.promise;
        return fetch(...asked);
      },
    });
    const told = follow((options) => client.live({ events: {} }, options));
    await told.opened(1);
    relay.cut();
    await until("the loss", () => told.connections.some(({ state }) => state === "lost"));
    const ids = await append(2);
    fetchFirst.resolve();
    await told.opened(2);
    ids.push(...(await append(1)));
    await until("all events", () => told.ids.length >= ids.length);
    expect(told.ids).toEqual(ids);
  });
});

describe("an inbox", () => {
  const reading = (n: number, strength: number) => ({
    signalId: signalId(n),
    at: "2026-01-31T09:30:00.000Z",
    strength,
    quality: 0.5,
    status: "active" as const,
  });
  const happened = (n: number): LiveMessage => ({
    type: "event",
    event: event(n, { kind: "signal.updated", at: n, sequence: n }),
  });

  test("keeps every event in order, and of each signal the newest reading, until they are read", async () => {
    const inbox = new Inbox();
    inbox.add({ type: "readings", readings: [reading(1, -60), reading(2, -70)] });
    inbox.add(happened(1));
    inbox.add({ type: "readings", readings: [reading(1, -61)] });
    inbox.add(happened(2));
    inbox.end(null);
    const read: LiveMessage[] = [];
    for await (const message of inbox.read()) read.push(message);
    expect(read).toEqual([
      happened(1),
      happened(2),
      { type: "readings", readings: [reading(1, -61), reading(2, -70)] },
    ]);
  });

  test("is full at 10,000 events, and throws its end after what was there", async () => {
    const inbox = new Inbox();
    for (let n = 0; n < 9_999; n++) inbox.add(happened(1));
    expect(inbox.isFull).toBe(false);
    inbox.add(happened(1));
    expect(inbox.isFull).toBe(true);
    inbox.end(new Error("refused"));
    let read = 0;
    const all = async () => {
      for await (const _ of inbox.read()) read++;
    };
    await expect(all()).rejects.toThrow("refused");
    expect(read).toBe(10_000);
  });
});
