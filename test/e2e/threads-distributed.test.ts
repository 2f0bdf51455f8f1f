import { randomUUID } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import type { Api } from "../support/api.ts";
import { expectToldOnce } from "../support/installation.ts";
import { LineServer } from "../support/line-server.ts";
import { startReceiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";
import { newApiKey } from "../support/service-process.ts";
import { startStack } from "../support/stack.ts";
import { until } from "../support/until.ts";

const WithId = z.object({ id: z.string() });
const Signals = z.object({ signals: z.array(z.object({ id: z.string() })) });
const Ready = z.object({ parts: z.array(z.object({ name: z.string(), state: z.string() })) });
const EVER = ["2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z"] as const;
const AT = Date.UTC(2026, 0, 31, 9);
const LINES = [-60, -91, -60].map((rssi, i) => JSON.stringify({ id: "s", rssi, at: AT + i * 1_000 }));

const stack = await startStack();
if ("missing" in stack && process.env.CI) throw new Error(`Kafka is missing: ${stack.missing}`);

/** Parts that are down; null while the service does not answer. */
const downIn = async (api: Api): Promise<string[] | null> => {
  const answer = await api.call("GET", "/health/ready").catch(() => null);
  if (answer === null) return null;
  return Ready.parse(answer.body).parts.flatMap(({ name, state }) => (state === "down" ? [name] : []));
};

const configure = async (api: Api, source: string, webhook: string): Promise<void> => {
  const condition = { operator: "below", value: -80 };
  await api.expect(WithId, "POST", "/v1/alerts/rules", { name: "weak", condition });
  await api.expect(WithId, "POST", "/v1/integrations/webhooks", { url: webhook, events: ["signal.failed"] });
  await api.expect(WithId, "POST", "/v1/integrations/sources", { type: "websocket", name: "s", url: source });
};

/** Told twice to stop, the second time in the midst of it. */
const stopTwice = async (service: Awaited<ReturnType<typeof startService>>["service"], api: Api) => {
  process.kill(service.pid, "SIGTERM");
  await until("the stop to begin", async () => (await downIn(api))?.length !== 0);
  return service.end("SIGTERM");
};

it.skipIf("missing" in stack)(
  "works on servers in threads of one process, tells which thread has lost Kafka, and loses nothing by being stopped twice",
  async () => {
    if ("missing" in stack) return;
    onTestFinished(() => stack.remove());
    const apiKey = newApiKey();
    const environment = {
      ...stack.environment,
      DEMO: "false",
      WEBHOOK_ALLOW_PRIVATE: "true",
      PARTITIONS: "2",
    };
    const options = { dataDirectory: `/nonexistent/${randomUUID()}`, apiKey, environment };
    const { service, api } = await startService(options);
    const [server, receiver] = [await LineServer.start(LINES), await startReceiver()];
    await configure(api, server.url, receiver.url);
    server.sendUpTo(2);
    const told = await until("the webhook to be called", () => receiver.received[0]);
    expect(JSON.parse(told.body)).toMatchObject({ event: "signal.failed" });
    const { signals } = await api.expect(Signals, "GET", "/v1/signals");
    const id = signals[0]?.id ?? "";
    await until("history", async () => (await api.storedReadings(id, ...EVER)) === 2);
    expect(await downIn(api)).toEqual([]);

    await stack.kafka.kill();
    const threads = ["record", "evaluate", "ingest"].map((worker) => `event-log of ${worker}`);
    await until("every thread to say so", async () => {
      const down = await downIn(api);
      return ["event-log", ...threads].every((name) => down?.includes(name));
    });
    await stack.kafka.start();
    await until("all to be well again", async () => (await downIn(api))?.length === 0);
    server.sendUpTo(3);
    await until("the rest of history", async () => (await api.storedReadings(id, ...EVER)) === 3);
    const kinds = ["signal.created", "alert.firing", "signal.failed", "alert.resolved", "signal.updated"];
    const events = await until("every event", async () => {
      const all = (await api.events()).filter(({ data }) => data.signal?.id === id);
      return all.length >= kinds.length && all;
    });
    expect(events.map(({ event }) => event)).toEqual(kinds);

    // Null: the second one came before the drain was done, and ended it at once.
    expect([0, null]).toContain(await stopTwice(service, api));
    expect(service.stderr).not.toMatch(/ncaught|unhandled|"level":60/);
    const { service: next, api: after } = await startService(options);
    expect((await after.events()).filter(({ data }) => data.signal?.id === id)).toEqual(events);
    expectToldOnce(events);
    expect(await after.storedReadings(id, ...EVER)).toBe(3);
    expect(receiver.received).toHaveLength(1);
    expect(await next.end("SIGTERM"), next.stderr).toBe(0);
  },
);
