import { expect, it } from "vitest";
import { z } from "zod";
import { temporaryDirectory } from "../support/directory.ts";
import { FloodServer } from "../support/flood-server.ts";
import { readStored } from "../support/kept.ts";
import { startService } from "../support/service.ts";
import { newApiKey } from "../support/service-process.ts";
import { until } from "../support/until.ts";

const WithId = z.object({ id: z.string() });
const Shown = z.object({
  state: z.string(),
  stateReason: z.string().nullable(),
  counters: z.object({ readings: z.number() }),
});
const Ready = z.object({
  parts: z.array(z.object({ name: z.string(), state: z.string(), detail: z.string().nullable() })),
});
/** About a second of readings: far less than what comes between two snapshots of a log that has room. */
const LOG_MAX_BYTES = 2 * 1024 ** 2;
const READINGS_PER_SECOND = 50_000;
const TIMES_FULL = 3;

const startFlood = () => {
  const frame = JSON.stringify(Array.from({ length: 100 }, (_, i) => ({ id: `full-${i}`, rssi: -42 })));
  return FloodServer.start({
    readingsPerSecond: READINGS_PER_SECOND,
    readingsPerFrame: 100,
    frame: () => frame,
  });
};

it("pauses its sources whenever the log is at its limit, says so, and goes on by itself without a loss", async () => {
  const flood = await startFlood();
  const dataDirectory = await temporaryDirectory();
  const environment = { DEMO: "false", LOG_MAX_BYTES: String(LOG_MAX_BYTES) };
  const { service, api } = await startService({ dataDirectory, apiKey: newApiKey(), environment });
  // Without a timer that could be pending there are no ticks: nothing is appended while the source is paused.
  const defaults = { noDataAfterSeconds: null };
  const source = { type: "websocket", name: "flood", url: flood.url, defaults };
  const { id } = await api.expect(WithId, "POST", "/v1/integrations/sources", source);
  const shown = () => api.expect(Shown, "GET", `/v1/integrations/sources/${id}`);

  for (let time = 0; time < TIMES_FULL; time++) {
    const paused = await until("the source to be paused", async () => {
      const now = await shown();
      return now.state === "paused" ? now : null;
    });
    expect(paused.stateReason).toContain("LOG_MAX_BYTES");
    await until("readings to flow again", async () => {
      const { state, counters } = await shown();
      return state === "connected" && counters.readings > paused.counters.readings;
    });
  }
  await until("the service to say that its log is full", async () => {
    const { parts } = Ready.parse((await api.call("GET", "/health/ready")).body);
    return parts.some(({ state, detail }) => state !== "ok" && detail?.includes("LOG_MAX_BYTES"));
  });
  // What stands behind the limit still works: a change of control data and its event.
  await api.expect(z.unknown(), "POST", "/v1/signals", { name: "by hand", threshold: 0.2 });

  flood.stop();
  await api.caughtUp(60_000);
  expect(await service.end("SIGTERM")).toBe(0);
  const { counts } = await readStored(dataDirectory);
  process.stdout.write(`full ${TIMES_FULL} times: ${JSON.stringify(counts)}\n`);
  expect(counts.counted).toBeGreaterThan(0);
  expect(counts).toMatchObject({ raw: counts.counted, minute: counts.counted, hour: counts.counted });
});
