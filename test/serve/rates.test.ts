import { expect, onTestFinished, test } from "vitest";
import { Rates } from "../../src/serve/rates.ts";
import { ManualClock } from "../support/clock.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { openTestLog } from "../support/lmdb-log.ts";
import { testTelemetry } from "../support/telemetry.ts";
import { until } from "../support/until.ts";

test("rates are of the last minute, of every partition, and told from the first second on", async () => {
  const log = await openTestLog({ directory: await temporaryDirectory(), partitions: { readings: 2 } });
  const clock = new ManualClock();
  let looks = 0;
  const watched = {
    bounds: async (...topic: Parameters<typeof log.bounds>) => {
      const bounds = await log.bounds(...topic);
      looks++;
      return bounds;
    },
  };
  const telemetry = testTelemetry();
  const accepted = telemetry.metrics.counter("ingest_readings_total", "of intake");
  accepted.add(1_000);
  const rates = new Rates(watched, clock, telemetry);
  onTestFinished(async () => {
    await rates.stop();
    await log.close();
  });
  const sampled = (times: number) => until("a sample", () => looks >= times);
  await sampled(2);
  expect(await rates.now()).toBeNull();
  const value = new TextEncoder().encode("x");
  await log.append("readings", [
    { partition: 0, value },
    { partition: 1, value },
    { partition: 1, value },
  ]);
  await log.append("events", [{ value }]);
  accepted.add(700);
  // A worker that began later than serve; another that is not here at all.
  const stored = telemetry.metrics.counter("record_rows_total", "of record", ["topic"]);
  stored.add(300, { topic: "readings" });
  stored.add(7, { topic: "events" });
  clock.advance(2_000);
  expect(await rates.now()).toEqual({
    overSeconds: 2,
    readingsPerSecond: { accepted: 350, evaluated: null, stored: 150 },
    readingRecordsPerSecond: 1.5,
    eventsPerSecond: 0.5,
  });
  for (let i = 0; i < 13; i++) {
    const before = looks;
    clock.advance(5_000);
    await sampled(before + 2);
  }
  expect(await rates.now()).toEqual({
    overSeconds: 60,
    readingsPerSecond: { accepted: 0, evaluated: null, stored: 0 },
    readingRecordsPerSecond: 0,
    eventsPerSecond: 0,
  });
});
