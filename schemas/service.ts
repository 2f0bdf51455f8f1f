import { z } from "zod";
import { Timestamp } from "./common.ts";

const State = z.enum(["ok", "degraded", "down"]);

export const Alive = z.strictObject({ status: z.literal("ok") });

/** Every part of the service and how it is; `status` is the worst of them. */
export const Readiness = z.strictObject({
  status: State,
  parts: z.array(z.strictObject({ name: z.string(), state: State, detail: z.string().nullable() })),
});
export type Readiness = z.infer<typeof Readiness>;

/** `lag`: records of the topic that the stage has not done yet. */
export const StageLag = z.strictObject({ stage: z.string(), topic: z.string(), lag: z.number().int() });

const Rate = z.number().nullable();
/** A process counts what goes through itself, and no other's. */
export const ReadingRates = z
  .strictObject({
    accepted: Rate.describe("Durable in the log: of sources that run here, pushed and reported here."),
    evaluated: Rate.describe(
      "Compared with their limits: also those that other programs have put into the log.",
    ),
    stored: Rate.describe("Inserted into the time series."),
  })
  .describe(
    "Readings a second that went through the process that answers: with all workers in one process these are all there are. Where workers run alone, null stands for the stages of others: add up `ingest_readings_total`, `evaluate_readings_total` and `record_rows_total` of every process's metrics there.",
  );
export type ReadingRates = z.infer<typeof ReadingRates>;

/** Over all accounts; how fast the log grows over all processes, too. */
export const Rates = z.strictObject({
  overSeconds: z.number().int().describe("The last minute, or since this process began."),
  readingsPerSecond: ReadingRates,
  readingRecordsPerSecond: z
    .number()
    .describe("Records of topic readings: each is a block of readings that came together, or a change."),
  eventsPerSecond: z.number(),
});
export type Rates = z.infer<typeof Rates>;

export const ServiceStatus = z.strictObject({
  version: z.string(),
  startedAt: Timestamp,
  logId: z.string(),
  stages: z.array(StageLag),
  rates: Rates.nullable().describe("Null in the first second of a process."),
  streamClients: z.number().int(),
  sources: z.record(z.string(), z.number().int()),
});

export const Hello = z.strictObject({
  service: z.string(),
  version: z.string(),
  links: z.record(z.string(), z.string()),
  hint: z.string(),
});
