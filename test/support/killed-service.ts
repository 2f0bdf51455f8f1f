import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { z } from "zod";
import type { Api } from "./api.ts";
import { temporaryDirectory } from "./directory.ts";
import { FloodServer } from "./flood-server.ts";
import { readLog, readStored, type WhatIsKept, type WhatWasLogged } from "./kept.ts";
import { startService } from "./service.ts";
import { newApiKey } from "./service-process.ts";
import { until } from "./until.ts";

const SIGNALS = 1_000;
const READINGS_PER_FRAME = 100;
const PARTITIONS = 2;
const CATCH_UP_MS = 90_000;
const BETWEEN_KILLS_MS = { min: 1_500, max: 4_000 };
const WithId = z.object({ id: z.string() });

/** Frames in turn over all signals; now and then a reading is bad, and the next one of that signal good again. */
export const framesOf =
  (atOf: (reading: number) => number | null, signals = SIGNALS) =>
  (frame: number): string => {
    const readings = Array.from({ length: READINGS_PER_FRAME }, (_, i) => {
      const reading = frame * READINGS_PER_FRAME + i;
      const at = atOf(reading);
      const rssi = reading % 997 === 0 ? -80 - (reading % 7) : -42.5;
      return { id: `kill-${reading % signals}`, rssi, ...(at === null ? {} : { at }) };
    });
    return JSON.stringify(readings);
  };

/** Frames are made beforehand: what takes its time is the service. */
export const premade = (count: number, make: (frame: number) => string) => {
  const frames = Array.from({ length: count }, (_, frame) => make(frame));
  return (frame: number) => frames[frame % count] ?? "";
};

interface Killing {
  readonly kills: number;
  readonly readingsPerSecond: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly frame: (number: number) => string;
  /** What is waited for after the last kill, before the flood ends. */
  readonly atLast?: (api: Api) => Promise<unknown>;
}

export interface Survived extends WhatIsKept, WhatWasLogged {
  /** Readings that the flood has sent; what was on its way at a kill is no promise of ours. */
  readonly sent: number;
  readonly connections: number;
  readonly dataDirectory: string;
}

/** No assertion: how fast the machine is says nothing of what is kept. */
const tellRate = ({ kills, readingsPerSecond }: Killing, flood: FloodServer, { counts }: WhatIsKept) => {
  const sent = Math.round((flood.frames * READINGS_PER_FRAME) / (flood.connectedMs / 1000));
  const slow = sent < readingsPerSecond * 0.9 ? `, not the ${readingsPerSecond} wanted` : "";
  process.stdout.write(
    `killed ${kills} times at ${sent} readings/s while connected${slow}: ${JSON.stringify(counts)}\n`,
  );
};

/** Kills the service at random moments under a flood of readings, and reads what it kept. */
export const killAgainAndAgain = async (killing: Killing): Promise<Survived> => {
  const dataDirectory = await temporaryDirectory();
  const environment = { DEMO: "false", PARTITIONS: String(PARTITIONS), ...killing.environment };
  const options = { dataDirectory, apiKey: newApiKey(), environment };
  const flood = await FloodServer.start({ readingsPerFrame: READINGS_PER_FRAME, ...killing });
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
  for (let kill = 0; kill < killing.kills; kill++) {
    const from = flood.frames;
    await until("readings to flow", () => flood.frames > from);
    const { min, max } = BETWEEN_KILLS_MS;
    // Not a wait for something to be done, but the random moment of the kill.
    await delay(min + Math.random() * (max - min));
    await service.end("SIGKILL");
    ({ service, api } = await startService(options));
  }
  await killing.atLast?.(api);
  flood.stop();
  await api.caughtUp(CATCH_UP_MS);
  expect(await service.end("SIGTERM"), service.stderr).toBe(0);
  const kept = await readStored(dataDirectory);
  tellRate(killing, flood, kept);
  const logged = await readLog(dataDirectory, { readings: PARTITIONS });
  const { frames, connections } = flood;
  return { ...kept, ...logged, sent: frames * READINGS_PER_FRAME, connections, dataDirectory };
};
