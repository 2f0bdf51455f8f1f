import { expect, test } from "vitest";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { pinoLogger } from "../../src/telemetry/telemetry.ts";
import { openTestEngines } from "../support/engines.ts";
import { allEvaluated, change, start } from "../support/evaluate.ts";
import { signalChange } from "../support/partition.ts";
import { until } from "../support/until.ts";

/** A worker whose clock is behind the one that the log was written with, and the lines of errors it wrote. */
const behind = async (skewMs: number) => {
  const engines = await openTestEngines();
  const errors: unknown[] = [];
  const log = pinoLogger("error", { write: (line) => errors.push(JSON.parse(line)) });
  const telemetry = { ...engines.telemetry, log };
  const skew = { ms: skewMs };
  const clock = { ...systemClock, now: () => Date.now() - skew.ms };
  await change(engines.log, signalChange(1));
  const worker = await start({ ...engines, clock, telemetry });
  await allEvaluated(engines.log);
  return { ...engines, worker, errors, skew };
};

test("a log written by a clock that was a year ahead is told of, once, until this clock has caught up", async () => {
  const { worker, errors, skew, telemetry } = await behind(365 * 86_400_000);
  await until("the health to tell", () => worker.health()[0]?.state === "degraded");
  expect(worker.health()[0]?.detail).toMatch(
    /^partition 0 of readings was written by a clock ahead of this one: until \d{4}-[^ ]+Z no time passes/,
  );
  expect((await telemetry.metrics.expose()).text).toMatch(
    /evaluate_clock_ahead_seconds\{partition="0"\} 3153\d{4}/,
  );
  skew.ms = 0;
  await until("the health to be well", () => worker.health()[0]?.state === "ok");
  expect(errors).toMatchObject([{ partition: 0, msg: "evaluate_clock_ahead" }]);
});

test("half a minute is nothing to speak of", async () => {
  const { worker, errors, telemetry } = await behind(30_000);
  await until("a look at the clock", async () =>
    /evaluate_clock_ahead_seconds\{partition="0"\} (29|30)/.test((await telemetry.metrics.expose()).text),
  );
  expect(worker.health()[0]?.state).toBe("ok");
  expect(errors).toEqual([]);
});
