import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import type { EventId } from "../../schemas/common.ts";
import type { Api } from "../support/api.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { EventSourcePeer } from "../support/event-source.ts";
import { FloodServer } from "../support/flood-server.ts";
import { startService } from "../support/service.ts";
import { newApiKey, type ServiceOptions } from "../support/service-process.ts";
import { StreamPeer } from "../support/stream-peer.ts";
import { until } from "../support/until.ts";

const SIGNALS = 100;
const READINGS_PER_FRAME = 10;
const EVENTS_BETWEEN = 150;
const ENDS = ["SIGKILL", "SIGTERM", "SIGKILL"] as const;
const WithId = z.object({ id: z.string() });

/** One reading in 97 is bad: its signal fails, and the next good one mends it. */
const frame = (number: number): string =>
  JSON.stringify(
    Array.from({ length: READINGS_PER_FRAME }, (_, i) => {
      const reading = number * READINGS_PER_FRAME + i;
      return { id: `s-${reading % SIGNALS}`, rssi: reading % 97 === 0 ? -80 : -42 };
    }),
  );

/** The two ways to read events on; each comes back after the last one that it has. */
const openBoth = async (api: Api, key: string, after: { stream?: EventId; source?: EventId }) => {
  const stream = await StreamPeer.open(api.streamUrl, key);
  onTestFinished(() => stream.end());
  await stream.subscribe("e", { events: after.stream === undefined ? {} : { after: after.stream } });
  const source = await EventSourcePeer.open(`${api.url}/v1/events/stream`, key, after.source);
  onTestFinished(() => source.end());
  return { stream, source };
};

const startEvents = async (api: Api, flood: FloodServer) => {
  const condition = { operator: "below", value: -70 };
  await api.expect(WithId, "POST", "/v1/alerts/rules", { name: "weak", condition });
  const source = { type: "websocket", name: "flood", url: flood.url };
  await api.expect(WithId, "POST", "/v1/integrations/sources", source);
};

it("readers of events that resume over restarts and kills of the service miss nothing and see nothing twice", async () => {
  const key = newApiKey();
  const options: ServiceOptions = {
    dataDirectory: await temporaryDirectory(),
    apiKey: key,
    environment: { DEMO: "false" },
  };
  const flood = await FloodServer.start({
    readingsPerSecond: 5_000,
    readingsPerFrame: READINGS_PER_FRAME,
    frame,
  });
  const seen: { stream: EventId[]; source: EventId[] } = { stream: [], source: [] };
  const last = () => {
    const [stream, source] = [seen.stream.at(-1), seen.source.at(-1)];
    return { ...(stream && { stream }), ...(source && { source }) };
  };

  let { service, api } = await startService(options);
  let peers = await openBoth(api, key, {});
  await startEvents(api, flood);
  for (const signal of ENDS) {
    const { stream, source } = peers;
    const came = () => Math.min(stream.events("e").length, source.ids.length);
    await until("events to flow", () => came() >= EVENTS_BETWEEN);
    await service.end(signal);
    expect((await stream.closed).code).toBe(signal === "SIGTERM" ? 1001 : 1006);
    await until("the answer to end", () => source.isEnded);
    seen.stream.push(...stream.events("e"));
    seen.source.push(...source.ids);
    ({ service, api } = await startService(options));
    peers = await openBoth(api, key, last());
  }
  flood.stop();
  await api.caughtUp(60_000);
  const told = (await api.events()).map(({ id }) => id);
  const onStream = () => [...seen.stream, ...peers.stream.events("e")];
  const fromSource = () => [...seen.source, ...peers.source.ids];
  await until("all of it on both", () => Math.min(onStream().length, fromSource().length) >= told.length);
  // That the source is gone may be told after the list was read.
  expect(onStream().slice(0, told.length)).toEqual(told);
  expect(fromSource().slice(0, told.length)).toEqual(told);
});
