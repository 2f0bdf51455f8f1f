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

type StartWorker = (
  engines: PipelineEngines,
  config: PipelineConfig,
  surroundings: Surroundings,
) => Promise<RunningWorker>;

const PROGRAMS: Readonly<Record<PipelineWorker, () => Promise<StartWorker>>> = {
  record: async () => {
    const { startRecord } = await import("../record/record.ts");
    return async ({ log, control, timeSeries }, config, surroundings) => {
      if (timeSeries === null) throw new Error("record was started without a time series");
      return startRecord({ log, control, timeSeries, ...surroundings, settings: { trim: config.LOG_TRIM } });
    };
  },
  evaluate: async () => {
    const { startEvaluate } = await import("../evaluate/evaluate.ts");
    return ({ log, control }, _config, surroundings) =>
      startEvaluate({ log, control, ...surroundings, settings: {} });
  },
  ingest: async () => {
    const { startIngest } = await import("../ingest/ingest.ts");
    return ({ log, control }, config, surroundings) =>
      startIngest({ log, control, ...surroundings, settings: ingestSettings(config) });
  },
};

/** Loads the program of one worker, and of no other: a thread holds a copy of all that it has loaded. */
export const programOf = (name: PipelineWorker): Promise<StartWorker> => PROGRAMS[name]();
