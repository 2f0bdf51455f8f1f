import type { GuestControl } from "../adapters/threads/control.ts";
import type { Config } from "../config/config.ts";
import { INGEST_DEFAULTS, type IngestSettings } from "../ingest/settings.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { TimeSeries } from "../ports/time-series.ts";
import type { RunningWorker } from "../ports/worker.ts";

/** The workers that every reading passes: each may run in a thread of its own. In the order of their start. */
export const PIPELINE = ["record", "evaluate", "ingest"] as const;
export type PipelineWorker = (typeof PIPELINE)[number];

/** What they work on. */
export interface PipelineEngines {
  readonly log: EventLog;
  readonly control: GuestControl;
  /** For record only. */
  readonly timeSeries: TimeSeries | null;
}

type PipelineConfig = Pick<
  Config,
  "SOURCES_ALLOW_PRIVATE" | "SOURCE_MAX_PAYLOAD_BYTES" | "RETENTION_RAW_DAYS" | "LOG_TRIM"
>;

export const ingestSettings = (config: PipelineConfig): IngestSettings => ({
  ...INGEST_DEFAULTS,
  allowPrivate: config.SOURCES_ALLOW_PRIVATE,
  maxPayloadBytes: config.SOURCE_MAX_PAYLOAD_BYTES,
  retentionRawDays: config.RETENTION_RAW_DAYS ?? null,
});

/** Loads the worker's program only now: a thread holds a copy of all that it has loaded. */
export const startPipelineWorker = async (
  name: PipelineWorker,
  { log, control, timeSeries }: PipelineEngines,
  config: PipelineConfig,
  surroundings: Surroundings,
): Promise<RunningWorker> => {
  const shared = { log, control, ...surroundings };
  if (name === "ingest") {
    const { startIngest } = await import("../ingest/ingest.ts");
    return startIngest({ ...shared, settings: ingestSettings(config) });
  }
  if (name === "evaluate") {
    const { startEvaluate } = await import("../evaluate/evaluate.ts");
    return startEvaluate({ ...shared, settings: {} });
  }
  if (timeSeries === null) throw new Error("record was started without a time series");
  const { startRecord } = await import("../record/record.ts");
  return startRecord({ ...shared, timeSeries, settings: { trim: config.LOG_TRIM } });
};
