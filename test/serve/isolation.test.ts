import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type EventId, SignalId } from "../../schemas/common.ts";
import { encodeLive } from "../../src/domain/live.ts";
import { OPERATIONS } from "../../src/serve/openapi/operations.ts";
import { Api } from "../support/api.ts";
import { EventSourcePeer } from "../support/event-source.ts";
import { eventSteps } from "../support/events.ts";
import { exampleBodyOf, type OneOfEach, oneOfEach } from "../support/one-of-each.ts";
import { keyOfAnother } from "../support/other-account.ts";
import { openTestEngines, startTestServe, type TestEngines, type TestServe } from "../support/serve.ts";
import { StreamPeer } from "../support/stream-peer.ts";
import { until } from "../support/until.ts";

let engines: TestEngines;
let serve: TestServe;
let theirs: OneOfEach;
let strangersKey: string;
let stranger: Api;
let steps: ReturnType<typeof eventSteps>;
beforeAll(async () => {
  engines = await openTestEngines();
  serve = await startTestServe(engines, { webhooks: { allowPrivate: true } });
  theirs = await oneOfEach(engines, serve);
  strangersKey = await keyOfAnother(engines);
  stranger = new Api(serve.url, strangersKey);
  steps = eventSteps(engines);
});
afterAll(async () => {
  await serve.stop();
  await engines.close();
});

/** What takes things away comes last, so that whoever owns them can show that they were there. */
const ROUTES = Object.keys(OPERATIONS)
  // No key may do what people do about themselves.
  .filter((name) => !/ \/v1\/me(\/|$)/.test(name))
  .sort((a, b) => Number(a.startsWith("DELETE")) - Number(b.startsWith("DELETE")));
const WITH_ID = ROUTES.filter((name) => name.includes("/:"));
const Paged = z.looseObject({ nextCursor: z.string().nullable() });
const LISTS = ROUTES.filter(
  (name) => !name.includes("/:") && Paged.safeParse(OPERATIONS[name]?.answer?.[200]).success,
);

const call = (api: Api, name: string) => {
  const [method = "", route = ""] = name.split(" ");
  return api.call(method, theirs.pathOf(route), exampleBodyOf(name));
};
const append = async (): Promise<EventId> => {
  const event = steps.next(1, "signal.failed");
  await steps.append([event]);
  return event.event.id;
};

describe("what belongs to another account", () => {
  test("is listed to nobody else", async () => {
    const id = await append();
    expect(LISTS.length).toBeGreaterThan(5);
    for (const name of LISTS) {
      const { status, body } = await call(stranger, name);
      const [items] = Object.values(z.record(z.string(), z.unknown()).parse(body)).filter(Array.isArray);
      // Their key is their own.
      const own = name === "GET /v1/api-keys" ? 1 : 0;
      expect([name, status, items?.length]).toEqual([name, 200, own]);
      const text = JSON.stringify(body);
      for (const one of [...Object.values(theirs.ids), id]) expect(text).not.toContain(one);
    }
    for (const path of Object.keys(theirs.ids).filter((one) => /^\/(?!v1\/me\/)/.test(one)))
      expect(JSON.stringify((await serve.api.call("GET", path)).body)).toContain(theirs.ids[path]);
  });

  test("is not there for anybody who names it, whatever is asked of it", async () => {
    expect(WITH_ID.length).toBeGreaterThan(20);
    for (const name of WITH_ID) {
      const { status, body } = await call(stranger, name);
      expect([name, status, body]).toMatchObject([name, 404, { code: "not_found" }]);
    }
    for (const name of WITH_ID) expect([name, (await call(serve.api, name)).status]).not.toEqual([name, 404]);
  });
});

describe("what names others' signals in a body", () => {
  let signalId: string;
  beforeAll(async () => {
    const body = { name: "s", threshold: 0.4, externalId: "named" };
    signalId = (await serve.api.client.post("/v1/signals", { body })).signals[0]?.id ?? "";
  });

  test("changes, reports and analyses none of them in a batch", async () => {
    const { results } = await stranger.client.post("/v1/signals/batch", {
      body: {
        operations: [
          { operation: "update", signalId, threshold: 0.9 },
          { operation: "delete", signalId },
          { operation: "report", signalId, strength: -60 },
          { operation: "report", externalId: "named", strength: -60 },
          { operation: "analyze", signalIds: [signalId] },
        ],
      },
    });
    expect(results.map(({ error }) => error?.code)).toEqual(Array(5).fill("not_found"));
    const params = { path: { id: signalId } };
    expect((await serve.api.client.get("/v1/signals/{id}", { params })).threshold).toBe(0.4);
  });

  test("analyses none of them", async () => {
    const { status, body } = await stranger.call("POST", "/v1/signals/analyze", { signalIds: [signalId] });
    expect([status, body]).toMatchObject([404, { code: "not_found" }]);
  });

  test("tries no rule on any of them, nor a rule of theirs", async () => {
    const path = "/v1/alerts/rules/backtest";
    const from = "2020-01-01T00:00:00Z";
    const condition = { operator: "below", value: -80 };
    const onTheirs = { rule: { name: "r", select: { signalIds: [signalId] }, condition }, from };
    expect((await stranger.call("POST", path, onTheirs)).body).toMatchObject({ summary: { selected: 0 } });
    expect((await serve.api.call("POST", path, onTheirs)).body).toMatchObject({ summary: { selected: 1 } });
    const { id: ruleId } = await serve.api.client.post("/v1/alerts/rules", {
      body: { name: "theirs", condition: { operator: "below", value: -80 } },
    });
    expect(await stranger.call("POST", path, { ruleId, from })).toMatchObject({ status: 404 });
  });

  test("may take the name that another account's has, and pushes to its own signals alone", async () => {
    const body = { type: "push" as const, name: "p" };
    const { id } = await stranger.client.post("/v1/integrations/sources", { body });
    const params = { path: { id } };
    await stranger.client.post("/v1/integrations/sources/{id}/push", {
      params,
      body: { id: "named", rssi: -60 },
    });
    const { signals } = await stranger.client.get("/v1/signals");
    expect(signals).toMatchObject([{ externalId: "named" }]);
    expect(signals[0]?.id).not.toBe(signalId);
  });
});

describe("what is told as it happens", () => {
  const live = (signalId: string, strength: number) => {
    const value = { signalId, accountId: engines.accountId, strength, atMs: Date.now() };
    return engines.log.append("live", [{ value: encodeLive([{ ...value, status: "active" }]) }]);
  };

  test("comes over the stream to nobody else, by name neither", async () => {
    const body = { name: "streamed", threshold: 0.4 };
    const made = await serve.api.client.post("/v1/signals", { body });
    const signalId = SignalId.parse(made.signals[0]?.id);
    const [owner, other] = [
      await StreamPeer.open(serve.api.streamUrl, serve.key),
      await StreamPeer.open(serve.api.streamUrl, strangersKey),
    ];
    onTestFinished(() => {
      owner.end();
      other.end();
    });
    const everything = { readings: { signalIds: "all" }, events: {} };
    await owner.subscribe("all", everything);
    await other.subscribe("all", everything);
    other.send({ type: "subscribe", id: "named", readings: { signalIds: [signalId] } });
    const id = await append();
    await live(signalId, -61);
    await until("the owner to be told", () => owner.events("all").includes(id));
    await until("the owner to see it", () => owner.strengths("all", signalId).includes(-61));
    other.send({ type: "ping" });
    await until("an answer", () => other.messages.some(({ type }) => type === "pong"));
    expect(JSON.stringify(other.messages)).not.toContain(id);
    expect([other.strengths("all", signalId), other.strengths("named", signalId)]).toEqual([[], []]);
  });

  test("comes as server-sent events to nobody else, by name neither", async () => {
    const url = `${serve.url}/v1/events/stream`;
    const after = await append();
    const [owner, other, named] = [
      await EventSourcePeer.open(url, serve.key),
      await EventSourcePeer.open(url, strangersKey),
      await EventSourcePeer.open(url, strangersKey, after),
    ];
    onTestFinished(() => {
      for (const peer of [owner, other, named]) peer.end();
    });
    const id = await append();
    await until("the owner to be told", () => owner.ids.includes(id));
    const { events } = await stranger.client.get("/v1/events");
    expect(events).toEqual([]);
    expect([other.ids, named.ids]).toEqual([[], []]);
  });
});
