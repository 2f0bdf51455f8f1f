import { expect, it } from "vitest";
import { z } from "zod";
import type { Api } from "../support/api.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { startService } from "../support/service.ts";
import { newApiKey } from "../support/service-process.ts";
import { until } from "../support/until.ts";

const SENDERS = 8;
const KILLS = 3;
const PUSHES_PER_LIFE = 120;
const READINGS_PER_PUSH = 3;
const FROM = Date.UTC(2026, 0, 1);
const iso = (ms: number): string => new Date(ms).toISOString();

const WithId = z.looseObject({ id: z.string() });
const Signals = z.object({ signals: z.array(WithId) });
const Readings = z.object({
  readings: z.array(z.object({ at: z.string() })),
  nextCursor: z.string().nullable(),
});

/** Every stored time of a signal, in order. */
const storedTimes = async (api: Api, signalId: string): Promise<string[]> => {
  const times: string[] = [];
  const query = `from=${iso(FROM)}&to=${iso(FROM + 86_400_000)}&step=raw&limit=500`;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const after: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: z.infer<typeof Readings> = await api.expect(
      Readings,
      "GET",
      `/v1/signals/${signalId}/readings?${query}${after}`,
    );
    times.push(...page.readings.map(({ at }) => at));
    cursor = page.nextCursor;
  }
  return times;
};

it("stores what was pushed and answered, once, over kills amid pushes", async () => {
  const options = {
    dataDirectory: await temporaryDirectory(),
    apiKey: newApiKey(),
    environment: { DEMO: "false" },
  };
  const answered = new Set<string>();
  let next = FROM;
  let path = "";
  const push = async (api: Api): Promise<boolean> => {
    const times = Array.from({ length: READINGS_PER_PUSH }, () => iso(next++));
    const body = times.map((at) => ({ id: "mast", rssi: -60, at }));
    const answer = await api.call("POST", path, body).catch(() => null);
    if (answer?.status !== 202) return false;
    expect(answer.body).toMatchObject({ accepted: READINGS_PER_PUSH });
    for (const at of times) answered.add(at);
    return true;
  };
  for (let life = 0; life < KILLS; life++) {
    const { service, api } = await startService(options);
    if (path === "") {
      const source = { type: "push", name: "mast" };
      path = `/v1/integrations/sources/${(await api.expect(WithId, "POST", "/v1/integrations/sources", source)).id}/push`;
    }
    const wanted = answered.size + PUSHES_PER_LIFE * READINGS_PER_PUSH;
    const send = async () => {
      while (await push(api));
    };
    const senders = Array.from({ length: SENDERS }, send);
    await until("enough to be answered", () => answered.size >= wanted, 60_000);
    await service.end("SIGKILL");
    await Promise.all(senders);
  }
  const { api } = await startService(options);
  await api.caughtUp(60_000);
  const { signals } = await api.expect(Signals, "GET", "/v1/signals");
  const times = await storedTimes(api, signals[0]?.id ?? "");
  expect(new Set(times).size).toBe(times.length);
  expect([...answered].filter((at) => !times.includes(at))).toEqual([]);
  expect(times.length).toBeLessThanOrEqual(answered.size + KILLS * SENDERS * READINGS_PER_PUSH);
});
