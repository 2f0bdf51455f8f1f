import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { SignalServiceEvent } from "../../schemas/event.ts";
import type { Api } from "../support/api.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { LineServer } from "../support/line-server.ts";
import { startService } from "../support/service.ts";
import { newApiKey, type Service } from "../support/service-process.ts";
import { StreamClient } from "../support/stream.ts";
import { until } from "../support/until.ts";
import { walkLines } from "../support/walk.ts";

const FROM = "2022-11-26T00:00:00Z";
const TO = "2022-11-27T00:00:00Z";
const UPLINKS = 511;
/** Worked out from the capture by itself: RSSI below −100, back at −97 or above. */
const FAILURES = 23;
const lines = walkLines() ?? [];

const Created = z.object({ signals: z.array(z.object({ id: z.string() })) });
const WithId = z.object({ id: z.string() });
const SourceShown = z.object({
  state: z.string(),
  counters: z.object({
    messages: z.number(),
    readings: z.number(),
    skipped: z.number(),
    rejected: z.number(),
  }),
});
const Readings = z.object({
  readings: z.array(z.object({ at: z.string(), strength: z.number() })),
  nextCursor: z.string().nullable(),
});

interface Walk {
  readonly service: Service;
  readonly api: Api;
  readonly server: LineServer;
  readonly signalId: string;
  readonly sourceId: string;
  restart(): Promise<{ service: Service; api: Api }>;
}

const startWalk = async (): Promise<Walk> => {
  const options = {
    dataDirectory: await temporaryDirectory(),
    apiKey: newApiKey(),
    environment: { DEMO: "false" },
  };
  const server = await LineServer.start(lines);
  const { service, api } = await startService(options);
  const signal = {
    name: "walk",
    threshold: 0,
    externalId: "008000000000ab75/ufjf-gw",
    noDataAfterSeconds: null,
  };
  const { signals } = await api.expect(Created, "POST", "/v1/signals", signal);
  const condition = { operator: "below", value: -100, hysteresis: 3 };
  await api.expect(WithId, "POST", "/v1/alerts/rules", { name: "weak", condition });
  const source = { type: "websocket", name: "walk", url: server.url, mapping: { preset: "ttn-v3" } };
  const { id: sourceId } = await api.expect(WithId, "POST", "/v1/integrations/sources", source);
  return {
    service,
    api,
    server,
    signalId: signals[0]?.id ?? "",
    sourceId,
    restart: () => startService(options),
  };
};

const stored = (api: Api, signalId: string, count: number) =>
  until(
    `${count} readings stored`,
    async () => (await api.storedReadings(signalId, FROM, TO)) >= count,
    20_000,
  );

const kinds = (events: readonly SignalServiceEvent[], kind: string) =>
  events.filter(({ event }) => event === kind);

const expectWholeStory = (events: readonly SignalServiceEvent[]) => {
  expect(kinds(events, "signal.created")).toHaveLength(1);
  expect(kinds(events, "signal.failed")).toHaveLength(FAILURES);
  const recoveries = kinds(events, "signal.updated").filter(({ data }) => data.previous?.status === "failed");
  expect(recoveries).toHaveLength(FAILURES);
  expect(kinds(events, "signal.updated")).toHaveLength(FAILURES);
  expect(kinds(events, "alert.firing")).toHaveLength(FAILURES);
  expect(kinds(events, "alert.resolved")).toHaveLength(FAILURES);
  const ofSignal = events.filter(({ sequence }) => sequence !== null);
  expect(ofSignal.map(({ sequence }) => sequence)).toEqual(ofSignal.map((_, index) => index + 1));
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
};

const ofSignals = (events: readonly SignalServiceEvent[]) =>
  events.filter(({ sequence }) => sequence !== null);
const allTold = (api: Api) =>
  until("every event told", async () => {
    const events = ofSignals(await api.events());
    return events.length >= 1 + 4 * FAILURES ? events : null;
  });

describe.skipIf(lines.length === 0)("a real walk over The Things Network, where present", () => {
  it("stores every uplink at its own time and tells every failure and recovery, once", async () => {
    const { api, server, signalId, sourceId } = await startWalk();
    const stream = await StreamClient.open(api);
    await stream.subscribeEvents();
    server.sendUpTo(lines.length);
    await stored(api, signalId, UPLINKS);
    const events = await allTold(api);
    expectWholeStory(events);
    await until("the stream to have told the same", () => ofSignals(stream.events).length >= 4 * FAILURES);
    expect(ofSignals(stream.events)).toEqual(events.slice(1));

    const first = await api.expect(
      Readings,
      "GET",
      `/v1/signals/${signalId}/readings?from=${FROM}&to=${TO}&step=raw&limit=500`,
    );
    const rest = await api.expect(
      Readings,
      "GET",
      `/v1/signals/${signalId}/readings?from=${FROM}&to=${TO}&step=raw&limit=500&cursor=${first.nextCursor}`,
    );
    const times = lines
      .map((line) =>
        z.object({ received_at: z.string(), uplink_message: z.unknown().optional() }).parse(JSON.parse(line)),
      )
      .filter((message) => message.uplink_message !== undefined)
      .map((message) => `${message.received_at.slice(0, 23)}Z`);
    expect([...first.readings, ...rest.readings].map(({ at }) => at)).toEqual(times);
    const source = await until("the counters", async () => {
      const shown = await api.expect(SourceShown, "GET", `/v1/integrations/sources/${sourceId}`);
      return shown.counters.messages === lines.length ? shown : null;
    });
    expect(source.counters).toMatchObject({
      messages: lines.length,
      readings: UPLINKS,
      skipped: 1,
      rejected: 0,
    });
  });

  it("tells the same story, with the same ids, over a kill -9 in the middle", async () => {
    const { service, api, server, signalId, restart } = await startWalk();
    const half = 200;
    server.sendUpTo(half);
    await stored(api, signalId, half - 1);
    const before = ofSignals(await api.events());
    await service.end("SIGKILL");
    const again = await restart();
    server.sendUpTo(lines.length);
    await stored(again.api, signalId, UPLINKS);
    const events = await allTold(again.api);
    expectWholeStory(events);
    expect(events.slice(0, before.length)).toEqual(before);
    expect(await again.api.storedReadings(signalId, FROM, TO)).toBe(UPLINKS);
  });

  it("resumes the stream after any event with nothing missed and nothing repeated", async () => {
    const { api, server, signalId } = await startWalk();
    const first = await StreamClient.open(api);
    await first.subscribeEvents();
    server.sendUpTo(250);
    await stored(api, signalId, 249);
    await until("some events", () => ofSignals(first.events).length > 10);
    const cut = Math.floor(Math.random() * first.events.length);
    const kept = first.events.slice(0, cut + 1);
    first.close();
    const second = await StreamClient.open(api);
    server.sendUpTo(lines.length);
    await second.subscribeEvents(kept.at(-1)?.id);
    const events = await allTold(api);
    const told = () => [...ofSignals(kept), ...ofSignals(second.events)];
    await until("the resumed stream to be complete", () => told().length >= events.length - 1);
    expect(told()).toEqual(events.slice(1));
  });
});
