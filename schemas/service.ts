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

/** How fast the log grows, over all processes and accounts. */
export const LogRates = z.strictObject({
  overSeconds: z.number().int().describe("The last minute, or since this process began."),
  readingRecordsPerSecond: z
    .number()
    .describe("Records of topic readings: each is a block of readings that came together, or a change."),
  eventsPerSecond: z.number(),
});
export type LogRates = z.infer<typeof LogRates>;

export const ServiceStatus = z.strictObject({
  version: z.string(),
  startedAt: Timestamp,
  logId: z.string(),
  stages: z.array(StageLag),
  rates: LogRates.nullable().describe("Null in the first second of a process."),
  streamClients: z.number().int(),
  sources: z.record(z.string(), z.number().int()),
});

export const Hello = z.strictObject({
  service: z.string(),
  version: z.string(),
  links: z.record(z.string(), z.string()),
  hint: z.string(),
});
