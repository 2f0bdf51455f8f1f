import { afterAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { ReadingsAnswer } from "../../schemas/reading.ts";
import { Signal } from "../../schemas/signal.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { readingsIn } from "../support/readings.ts";
import { bytes } from "../support/rows.ts";
import { sharedServe } from "../support/serve.ts";

// Before the engines start: their processes take over what this one has.
vi.stubEnv("TZ", "Europe/Berlin");
afterAll(() => vi.unstubAllEnvs());
const shared = sharedServe();
const Created = z.object({ signals: z.tuple([Signal]) });

const HALF_HOUR = 1_800_000;

test.each([
  ["the hour that is left out", Date.UTC(2026, 2, 29)],
  ["the hour that comes twice", Date.UTC(2026, 9, 25)],
])("buckets are hours and days of UTC over %s", async (name, start) => {
  expect(new Date(2026, 2, 29, 12).getTimezoneOffset()).toBe(-120);
  const { signals } = await shared.serve.api.expect(Created, "POST", "/v1/signals", { name, threshold: 0.5 });
  const [{ id }] = signals;
  const lines = Array.from({ length: 48 }, (_, i) => readingLine(id, start + i * HALF_HOUR, -60));
  await shared.engines.timeSeries.insertReadings(`zone ${start}`, readingsIn([bytes(lines.join(""))]));
  const get = (query: string) =>
    shared.serve.api.expect(ReadingsAnswer, "GET", `/v1/signals/${id}/readings?${query}`);
  const day = `from=${new Date(start).toISOString()}&to=${new Date(start + 48 * HALF_HOUR).toISOString()}`;
  const bucket = { min: -60, max: -60, mean: -60 };
  expect(await get(`${day}&step=1d`)).toMatchObject({
    buckets: [{ at: new Date(start).toISOString(), count: 48, ...bucket }],
  });
  const hours = Array.from({ length: 24 }, (_, i) => ({
    at: new Date(start + i * 2 * HALF_HOUR).toISOString(),
    count: 2,
    ...bucket,
  }));
  expect(await get(`${day}&step=1h`)).toMatchObject({ buckets: hours });
  const raw = await get(`${day}&step=raw`);
  expect(raw).toMatchObject({
    readings: lines.map((_, i) => ({ at: new Date(start + i * HALF_HOUR).toISOString() })),
  });
});
