import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { expect, it, onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { temporaryDirectory } from "../support/directory.ts";
import { portOf } from "../support/port.ts";
import { startService } from "../support/service.ts";
import { newApiKey } from "../support/service-process.ts";
import { until } from "../support/until.ts";

const TOKEN = "a-long-lived-token";
const WithId = z.object({ id: z.string() });
const Signals = z.object({
  signals: z.array(
    z.object({
      externalId: z.string(),
      strength: z.number().nullable(),
      lastReadingAt: z.string().nullable(),
    }),
  ),
});
const Message = z.object({ type: z.string(), access_token: z.string().optional() });

const stateChanged = (entityId: string, state: string, deviceClass: string) => ({
  id: 1,
  type: "event",
  event: {
    event_type: "state_changed",
    time_fired: "2026-01-31T09:30:00.123456+00:00",
    data: {
      entity_id: entityId,
      new_state: {
        entity_id: entityId,
        state,
        attributes: { device_class: deviceClass },
        last_updated: "2026-01-31T09:30:00.123456+00:00",
      },
    },
  },
});

/** The far end as https://developers.home-assistant.io/docs/api/websocket describes it. */
const homeAssistant = async (): Promise<string> => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const answer = (client: WebSocket, { type, access_token }: z.infer<typeof Message>) => {
    const send = (message: object) => client.send(JSON.stringify(message));
    if (type === "auth") send({ type: access_token === TOKEN ? "auth_ok" : "auth_invalid" });
    if (type !== "subscribe_events") return;
    send({ id: 1, type: "result", success: true, result: null });
    send(stateChanged("sensor.kitchen_wifi", "-61", "signal_strength"));
    send(stateChanged("sensor.kitchen_temperature", "21.5", "temperature"));
    send(stateChanged("sensor.shed_wifi", "unavailable", "signal_strength"));
  };
  server.on("connection", (client) => {
    client.send(JSON.stringify({ type: "auth_required", ha_version: "2026.1.0" }));
    client.on("message", (data) => answer(client, Message.parse(JSON.parse(data.toString()))));
  });
  return `ws://127.0.0.1:${portOf(server)}/api/websocket`;
};

/** The very JSON of the README, as the shell would expand it. */
const readmeSource = async (url: string): Promise<unknown> => {
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const [, json = ""] = /<<JSON\n([\s\S]*?)\nJSON/.exec(readme) ?? [];
  const expanded = json.replaceAll("$HA_TOKEN", TOKEN).replaceAll("\\$", "$");
  return { ...z.record(z.string(), z.unknown()).parse(JSON.parse(expanded)), url };
};

it("connects the README's first source, hears its strengths, skips what is none, and says why it rejects", async () => {
  const { api } = await startService({
    dataDirectory: await temporaryDirectory(),
    apiKey: newApiKey(),
    environment: { DEMO: "false" },
  });
  const source = await readmeSource(await homeAssistant());
  const { id } = await api.expect(WithId, "POST", "/v1/integrations/sources", source);
  const { signals } = await until("the kitchen's strength", async () => {
    const page = await api.expect(Signals, "GET", "/v1/signals");
    return page.signals.some(({ strength }) => strength !== null) ? page : null;
  });
  expect(signals).toEqual([
    expect.objectContaining({
      externalId: "sensor.kitchen_wifi",
      strength: -61,
      lastReadingAt: "2026-01-31T09:30:00.123Z",
    }),
  ]);
  await until("the counters", async () => {
    const { body } = await api.call("GET", `/v1/integrations/sources/${id}`);
    return expect
      .objectContaining({ readings: 1, rejected: 1 })
      .asymmetricMatch(z.object({ counters: z.unknown() }).parse(body).counters);
  });
  const shown = await api.call("GET", `/v1/integrations/sources/${id}`);
  expect(JSON.stringify(shown.body)).not.toContain(TOKEN);
  const rejections = await until("the rejection", async () => {
    const { body } = await api.call("GET", `/v1/integrations/sources/${id}/rejections`);
    return JSON.stringify(body).includes("strength_not_a_number") ? body : null;
  });
  expect(JSON.stringify(rejections)).toContain("unavailable");
});
