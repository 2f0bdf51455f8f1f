import { expect, it } from "vitest";
import { z } from "zod";
import { DeliveriesAnswer } from "../../schemas/webhook.ts";
import type { Api } from "../support/api.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { EventEndpoint } from "../support/event-endpoints.ts";
import { startService } from "../support/service.ts";
import { newApiKey } from "../support/service-process.ts";
import { until } from "../support/until.ts";

/** `WEBHOOK_KILL_EVENTS=10000` for the full size, which takes minutes. */
const EVENTS = Number(process.env.WEBHOOK_KILL_EVENTS ?? 800);
const ENDPOINTS = 20;
const KILLS = 5;
/** Of each signal: it is created, and then fails and recovers in turn. */
const EVENTS_OF_EACH = 20;
const SIGNALS = EVENTS / EVENTS_OF_EACH;
const GOES_ON_MS = 60_000;
const ALL_CAME_MS = 600_000;

const Made = z.object({ results: z.array(z.object({ signal: z.object({ id: z.string() }) })) });
const Accepted = z.object({ summary: z.object({ ok: z.number(), failed: z.literal(0) }) });
const WithId = z.object({ id: z.string() });

const createSignals = async (api: Api): Promise<string[]> => {
  const fields = { operation: "create", threshold: 0.4, noDataAfterSeconds: null };
  const operations = Array.from({ length: SIGNALS }, (_, n) => ({ ...fields, name: `kill ${n}` }));
  const { results } = await api.expect(Made, "POST", "/v1/signals/batch", { operations });
  return results.map(({ signal }) => signal.id);
};

/** One reading of each signal that turns it over: bad ones and good ones in turn. */
const turnOver = async (api: Api, signals: readonly string[], turn: number, fromMs: number) => {
  const at = new Date(fromMs + turn * 1_000).toISOString();
  const strength = turn % 2 === 0 ? -95 : -55;
  const operations = signals.map((signalId) => ({ operation: "report", signalId, strength, at }));
  await api.expect(Accepted, "POST", "/v1/signals/batch", { operations });
};

const total = (endpoints: readonly EventEndpoint[]) => endpoints.reduce((sum, one) => sum + one.distinct, 0);

const subscribe = async (api: Api, endpoints: readonly EventEndpoint[]): Promise<string[]> => {
  const events = ["signal.created", "signal.updated", "signal.failed"];
  const ids = [];
  for (const { url } of endpoints)
    ids.push((await api.expect(WithId, "POST", "/v1/integrations/webhooks", { url, events })).id);
  return ids;
};

it("delivers every event to every endpoint, in order, over five kills of the process", async () => {
  const endpoints = await Promise.all(Array.from({ length: ENDPOINTS }, () => EventEndpoint.start()));
  const environment = { DEMO: "false", WEBHOOK_ALLOW_PRIVATE: "true" };
  const options = { dataDirectory: await temporaryDirectory(), apiKey: newApiKey(), environment };
  let { service, api } = await startService(options);
  const webhooks = await subscribe(api, endpoints);
  const signals = await createSignals(api);
  const fromMs = Date.now() - 3_600_000;
  let turn = 0;
  for (let kill = 1; kill <= KILLS + 1; kill++) {
    for (; turn < Math.round(((EVENTS_OF_EACH - 1) * kill) / (KILLS + 1)); turn++)
      await turnOver(api, signals, turn, fromMs);
    if (kill > KILLS) break;
    // Somewhere on the way: what was said is durable, and a part of it delivered.
    const before = total(endpoints);
    const still = (turn + 1) * SIGNALS * ENDPOINTS - before;
    const some = before + Math.floor(Math.random() * still);
    await until("some to arrive", () => total(endpoints) >= some, GOES_ON_MS);
    await service.end("SIGKILL");
    ({ service, api } = await startService(options));
  }
  await until("every event at every endpoint", () => total(endpoints) === EVENTS * ENDPOINTS, ALL_CAME_MS);
  const events = (await api.events()).map(({ id }) => id);
  expect(events).toHaveLength(EVENTS);
  for (const endpoint of endpoints) {
    expect(endpoint.ids).toEqual(new Set(events));
    expect(endpoint.faults).toEqual([]);
  }
  for (const id of webhooks)
    await until("every delivery to be marked", async () => {
      const path = `/v1/integrations/webhooks/${id}/deliveries?status=pending&limit=1`;
      return (await api.expect(DeliveriesAnswer, "GET", path)).deliveries.length === 0;
    });
  const requests = endpoints.reduce((sum, one) => sum + one.requests, 0);
  const repeats = requests - EVENTS * ENDPOINTS;
  const share = ((100 * repeats) / (EVENTS * ENDPOINTS)).toFixed(2);
  process.stdout.write(
    `${EVENTS} events to ${ENDPOINTS} endpoints over ${KILLS} kills: ${repeats} of ${EVENTS * ENDPOINTS} deliveries came again (${share} %)\n`,
  );
  expect(await service.end("SIGTERM"), service.stderr).toBe(0);
}, 900_000);
