import { expect, it } from "vitest";
import { z } from "zod";
import { temporaryDirectory } from "../support/directory.ts";
import { FloodServer } from "../support/flood-server.ts";
import { readDataDirectory } from "../support/kept.ts";
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
const ONE_MIB = 1024 ** 2;

it("pauses its sources when the log is at its limit, says so, and goes on without a loss when there is room", async () => {
  const frame = JSON.stringify(Array.from({ length: 100 }, (_, i) => ({ id: `full-${i}`, rssi: -42 })));
  const flood = await FloodServer.start({
    readingsPerSecond: 50_000,
    readingsPerFrame: 100,
    frame: () => frame,
  });
  const dataDirectory = await temporaryDirectory();
  const apiKey = newApiKey();
  const base = { DEMO: "false", LOG_TRIM: "false" };
  const small = { ...base, LOG_MAX_BYTES: String(ONE_MIB) };
  const first = await startService({ dataDirectory, apiKey, environment: small });
  const source = { type: "websocket", name: "flood", url: flood.url };
  const { id } = await first.api.expect(WithId, "POST", "/v1/integrations/sources", source);
  const shown = (api: typeof first.api) => api.expect(Shown, "GET", `/v1/integrations/sources/${id}`);

  const paused = await until("the source to be paused", async () => {
    const now = await shown(first.api);
    return now.state === "paused" ? now : null;
  });
  expect(paused.stateReason).toContain("LOG_MAX_BYTES");
  const ready = Ready.parse((await first.api.call("GET", "/health/ready")).body);
  expect(
    ready.parts
      .filter(({ state }) => state !== "ok")
      .map(({ detail }) => detail)
      .join(" "),
  ).toContain("LOG_MAX_BYTES");
  // What stands behind the limit still works: a change of control data and its event.
  await first.api.expect(z.unknown(), "POST", "/v1/signals", { name: "by hand", threshold: 0.2 });
  expect(await first.service.end("SIGTERM")).toBe(0);

  const second = await startService({ dataDirectory, apiKey, environment: base });
  const before = (await shown(second.api)).counters.readings;
  await until(
    "readings to flow again",
    async () => (await shown(second.api)).counters.readings > before + 10_000,
  );
  flood.stop();
  await second.api.caughtUp(20_000);
  expect(await second.service.end("SIGTERM")).toBe(0);
  const { counts } = await readDataDirectory(dataDirectory, {});
  expect(counts).toMatchObject({ raw: counts.accepted, minute: counts.accepted, hour: counts.accepted });
}, 60_000);
