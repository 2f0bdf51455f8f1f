import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { z } from "zod";
import { temporaryDirectory } from "../support/directory.ts";
import { FloodServer } from "../support/flood-server.ts";
import { readDataDirectory, type WhatIsKept } from "../support/kept.ts";
import { startService } from "../support/service.ts";
import { newApiKey } from "../support/service-process.ts";
import { until } from "../support/until.ts";

const KILLS = 5;
const SIGNALS = 1_000;
const READINGS_PER_FRAME = 100;
const READINGS_PER_SECOND = 60_000;
const PARTITIONS = 2;
const CATCH_UP_MS = 90_000;
const BETWEEN_KILLS_MS = { min: 1_500, max: 4_000 };
const WithId = z.object({ id: z.string() });

/** Frames in turn over all signals; now and then a reading is bad, and the next one of that signal good again. */
const framesOf =
  (atOf: (reading: number) => number | null) =>
  (frame: number): string => {
    const readings = Array.from({ length: READINGS_PER_FRAME }, (_, i) => {
      const reading = frame * READINGS_PER_FRAME + i;
      const at = atOf(reading);
      const rssi = reading % 997 === 0 ? -80 - (reading % 7) : -42.5;
      return { id: `kill-${reading % SIGNALS}`, rssi, ...(at === null ? {} : { at }) };
    });
    return JSON.stringify(readings);
  };

/** Frames are made beforehand: what takes its time is the service. */
const premade = (count: number, make: (frame: number) => string) => {
  const frames = Array.from({ length: count }, (_, frame) => make(frame));
  return (frame: number) => frames[frame % count] ?? "";
};

const killAgainAndAgain = async (frame: (number: number) => string): Promise<WhatIsKept> => {
  const dataDirectory = await temporaryDirectory();
  const environment = { DEMO: "false", LOG_TRIM: "false", PARTITIONS: String(PARTITIONS) };
  const options = { dataDirectory, apiKey: newApiKey(), environment };
  const flood = await FloodServer.start({
    readingsPerSecond: READINGS_PER_SECOND,
    readingsPerFrame: READINGS_PER_FRAME,
    frame,
  });
  let { service, api } = await startService(options);
  const rule = { name: "weak", condition: { operator: "below", value: -70 } };
  await api.expect(WithId, "POST", "/v1/alerts/rules", rule);
  const defaults = { noDataAfterSeconds: null };
  await api.expect(WithId, "POST", "/v1/integrations/sources", {
    type: "websocket",
    name: "flood",
    url: flood.url,
    defaults,
  });
  let flowedMs = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const from = flood.frames;
    await until("readings to flow", () => flood.frames > from);
    const { min, max } = BETWEEN_KILLS_MS;
    const flowMs = min + Math.random() * (max - min);
    // Not a wait for something to be done, but the random moment of the kill.
    await delay(flowMs);
    flowedMs += flowMs;
    await service.end("SIGKILL");
    ({ service, api } = await startService(options));
  }
  flood.stop();
  await api.caughtUp(CATCH_UP_MS);
  expect(await service.end("SIGTERM"), service.stderr).toBe(0);
  const kept = await readDataDirectory(dataDirectory, { readings: PARTITIONS });
  const rate = Math.round((flood.frames * READINGS_PER_FRAME) / (flowedMs / 1000));
  process.stdout.write(`killed ${KILLS} times at about ${rate} readings/s: ${JSON.stringify(kept.counts)}\n`);
  return kept;
};

const expectExact = ({ counts, events, replayed }: WhatIsKept) => {
  expect(counts.accepted).toBeGreaterThan(0);
  expect(counts).toMatchObject({ raw: counts.accepted, minute: counts.accepted, hour: counts.accepted });
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const sequences = Map.groupBy(events, ({ data }) => data.signal?.id);
  for (const [, ofSignal] of sequences) {
    expect(ofSignal.map(({ sequence }) => sequence)).toEqual(ofSignal.map((_, i) => i + 1));
  }
  // An undisturbed fold over the same log tells the very same story, ids included.
  expect(new Set(events.map(({ id }) => id))).toEqual(new Set(replayed.map(({ id }) => id)));
};

it("keeps every accepted reading once and tells every event once over five kills at random", async () => {
  expectExact(
    await killAgainAndAgain(
      premade(
        4_000,
        framesOf(() => null),
      ),
    ),
  );
}, 120_000);

it("does the same with readings spread over 200 months", async () => {
  const from = Date.UTC(2008, 0, 1);
  const month = 30.4 * 86_400_000;
  const at = (reading: number) => Math.floor(from + ((reading * 7919) % 200) * month + reading);
  expectExact(await killAgainAndAgain(premade(4_000, framesOf(at))));
}, 180_000);
