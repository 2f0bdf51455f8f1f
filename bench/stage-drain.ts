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

process.once("message", async () => {
  const from = performance.now();
  const worker = await start();
  await until("all readings", async () => (await done()) >= filling.readings, DRAIN_MAX_MS);
  process.send?.({ seconds: (performance.now() - from) / 1_000 });
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
