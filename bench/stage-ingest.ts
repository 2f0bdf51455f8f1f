// A process of its own: the ingest worker on an embedded log that is emptied behind it.
import { rm } from "node:fs/promises";
import { z } from "zod";
import { SourceCreate } from "../schemas/source.ts";
import { systemClock } from "../src/adapters/system/clock.ts";
import { sourceRecord } from "../src/domain/records.ts";
import { startIngest } from "../src/ingest/ingest.ts";
import { INGEST_DEFAULTS } from "../src/ingest/settings.ts";
import { openStageParts } from "./stage-parts.ts";
import { stagesIn } from "./stages.ts";

const Stop = z.object({ order: z.literal("stop") });
const TRIM_EVERY_MS = 1_000;
const { source } = z.object({ source: SourceCreate }).parse(JSON.parse(process.argv[2] ?? ""));
const { directory, log, control, machine } = await openStageParts();
const worker = await startIngest({ log, control, ...machine, settings: INGEST_DEFAULTS });
const { id: accountId } = await control.accounts.first();
const made = await control.sources.create(accountId, source);
if (!made.ok) throw new Error(made.reason);
await log.append("sources", [sourceRecord(made.value.id, made.value.revision)]);
const trimming = systemClock.every(TRIM_EVERY_MS, () => {
  void log.bounds("readings").then(([bounds]) => log.trim("readings", 0, bounds?.end ?? 0));
});

process.on("message", async (order) => {
  if (!Stop.safeParse(order).success) {
    process.send?.(stagesIn((await machine.telemetry.metrics.expose()).text));
    return;
  }
  trimming();
  await worker.stop();
  await control.close();
  await log.close();
  await rm(directory, { recursive: true, force: true });
  process.disconnect();
});
process.send?.({ ready: true });
