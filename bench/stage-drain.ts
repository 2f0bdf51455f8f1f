// A process of its own: an embedded log that holds blocks already, and one worker that reads it to its end.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { startEvaluate } from "../src/evaluate/evaluate.ts";
import { startRecord } from "../src/record/record.ts";
import { openChdb } from "../test/support/chdb.ts";
import { until } from "../test/support/until.ts";
import { wait } from "./bench.ts";
import { fillLog } from "./log-filler.ts";
import { openStageParts } from "./stage-parts.ts";
import { stagesIn } from "./stages.ts";

const Parameters = z.object({
  stage: z.enum(["evaluate", "record"]),
  signals: z.number(),
  rules: z.number(),
  readings: z.number(),
});
export type DrainParameters = z.infer<typeof Parameters>;

const LOOK_EVERY_SECONDS = 0.05;
const DRAIN_MAX_MS = 170_000;
const STEADY_FROM = 0.1;
const STEADY_TO = 0.9;
const { stage, ...filling } = Parameters.parse(JSON.parse(process.argv[2] ?? ""));
const { directory, log, control, machine } = await openStageParts();
await fillLog(log, filling);

const timeSeries =
  stage === "record" ? (await openChdb(join(directory, "time-series"), machine.telemetry)).timeSeries : null;
const start = async () => {
  const parts = { log, control, ...machine };
  if (timeSeries === null) return startEvaluate({ ...parts, settings: {} });
  return startRecord({ ...parts, timeSeries, settings: { trim: false } });
};
const done = async () => {
  await wait(LOOK_EVERY_SECONDS);
  const { evaluated, recorded } = stagesIn((await machine.telemetry.metrics.expose()).text);
  return stage === "evaluate" ? evaluated : recorded;
};

/** When so much is done, and how much that is then. */
const reached = async (share: number) => {
  const wanted = filling.readings * share;
  const readings = await until(
    `${share} of the readings`,
    async () => {
      const now = await done();
      return now >= wanted ? now : null;
    },
    DRAIN_MAX_MS,
  );
  return { readings, atMs: performance.now() };
};

process.once("message", async () => {
  const worker = await start();
  // In between it only works: neither its start counts, nor that the last readings wait for more to come.
  const [from, to] = [await reached(STEADY_FROM), await reached(STEADY_TO)];
  await reached(1);
  process.send?.({ perSecond: (to.readings - from.readings) / ((to.atMs - from.atMs) / 1_000) });
  process.once("message", async () => {
    await worker.stop();
    await timeSeries?.close();
    await control.close();
    await log.close();
    await rm(directory, { recursive: true, force: true });
    process.disconnect();
  });
});
process.send?.({ filled: filling.readings });
