import packageFile from "../../package.json" with { type: "json" };
import type { Config } from "../config/config.ts";
import { startDeliver } from "../deliver/deliver.ts";
import { startEvaluate } from "../evaluate/evaluate.ts";
import { startIngest } from "../ingest/ingest.ts";
import { INGEST_DEFAULTS, type IngestSettings } from "../ingest/settings.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { Health, RunningWorker } from "../ports/worker.ts";
import { startRecord } from "../record/record.ts";
import { startServe } from "../serve/serve.ts";
import type { ServeSettings } from "../serve/settings.ts";
import type { Engines } from "./engines.ts";

export const VERSION = packageFile.version;

/** In the order of their start: what others send to is there before them, and stops after them. */
const WORKERS = ["serve", "deliver", "record", "evaluate", "ingest"] as const;

export interface Service {
  readonly url: string;
  /** Stops the workers in reverse order of their start; each drains before the next one stops. */
  stop(): Promise<void>;
}

const serveSettings = (config: Config): ServeSettings => ({
  host: config.HOST,
  port: config.PORT,
  trustProxy: config.TRUST_PROXY,
  version: VERSION,
  tls: config.tls,
});

const ingestSettings = (config: Config): IngestSettings => ({
  ...INGEST_DEFAULTS,
  allowPrivate: config.SOURCES_ALLOW_PRIVATE,
  maxPayloadBytes: config.SOURCE_MAX_PAYLOAD_BYTES,
  retentionRawDays: config.RETENTION_RAW_DAYS ?? null,
});

/** What is there and what is still to come, for `GET /health/ready`. */
const healthOf = (engines: Engines, running: readonly RunningWorker[]): Health[] => {
  const missing = WORKERS.filter((name) => !running.some((worker) => worker.name === name));
  return [
    engines.log.health(),
    engines.control.health(),
    engines.timeSeries.health(),
    ...running.flatMap((worker) => worker.health()),
    ...missing.map(
      (name): Health => ({ name, state: "down", detail: "not running: the service starts or stops" }),
    ),
  ];
};

const stopAll = async (running: RunningWorker[]): Promise<void> => {
  for (let worker = running.at(-1); worker !== undefined; worker = running.at(-1)) {
    await worker.stop();
    running.pop();
  }
};

/** Starts the five workers on opened engines. When one cannot start, those that could are stopped again. */
export const startService = async (
  engines: Engines,
  config: Config,
  surroundings: Surroundings,
): Promise<Service> => {
  const running: RunningWorker[] = [];
  const shared = { ...engines, ...surroundings };
  try {
    const health = () => healthOf(engines, running);
    const serve = await startServe({ ...shared, settings: serveSettings(config), health });
    running.push(serve);
    running.push(await startDeliver(shared));
    running.push(await startRecord({ ...shared, settings: { trim: config.LOG_TRIM } }));
    running.push(await startEvaluate({ ...shared, settings: {} }));
    running.push(await startIngest({ ...shared, settings: ingestSettings(config) }));
    return { url: serve.url, stop: () => stopAll(running) };
  } catch (error) {
    await stopAll(running);
    throw error;
  }
};
