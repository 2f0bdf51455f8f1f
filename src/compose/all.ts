import { readFileSync } from "node:fs";
import { systemClock, systemEntropy } from "../adapters/system/clock.ts";
import { markHeapSeldom } from "../adapters/system/heap.ts";
import { type Config, readConfig } from "../config/config.ts";
import { API_KEY_BYTES, generateApiKey } from "../domain/api-key.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import { telemetryAt } from "../telemetry/telemetry.ts";
import { mistakesText, readyText, startErrorText } from "./banner.ts";
import { bootstrap, showFirstKey } from "./bootstrap.ts";
import { type DataDirectory, openDataDirectory } from "./data-directory.ts";
import { closeEngines, type Engines, openEmbedded } from "./engines.ts";
import { startService, VERSION } from "./service.ts";
import { startErrorReason } from "./start-error.ts";

const STOP_TIMEOUT_MS = 10_000;

type Stop = () => Promise<void>;

/** The service on opened engines, told to whoever started it. */
const serve = async (
  engines: Engines,
  directory: DataDirectory,
  config: Config,
  surroundings: Surroundings,
  startedAt: number,
): Promise<Stop> => {
  const { control } = engines;
  const keyGiven = config.BOOTSTRAP_API_KEY !== undefined;
  const accountId = await bootstrap({ control, apiKey: config.BOOTSTRAP_API_KEY, demo: config.DEMO });
  const service = await startService(engines, config, surroundings);
  const shown = { version: VERSION, url: service.url, dataDirectory: directory.path, keyGiven };
  await showFirstKey(control, surroundings.entropy, accountId, (apiKey) => {
    const startedInMs = surroundings.clock.monotonic() - startedAt;
    process.stdout.write(readyText({ ...shown, apiKey, startedInMs }));
  });
  return service.stop;
};

/** Opens, serves, and gives what undoes all of it in reverse order. */
const start = async (config: Config, surroundings: Surroundings): Promise<Stop> => {
  const startedAt = surroundings.clock.monotonic();
  const opened: Stop[] = [];
  const closeAll = async () => {
    for (let close = opened.pop(); close !== undefined; close = opened.pop()) await close();
  };
  try {
    const directory = await openDataDirectory(config.DATA_DIR);
    opened.push(async () => directory.release());
    const engines = await openEmbedded(directory, config, surroundings);
    opened.push(() => closeEngines(engines));
    opened.push(await serve(engines, directory, config, surroundings, startedAt));
    return closeAll;
  } catch (error) {
    await closeAll();
    throw error;
  }
};

/** SIGTERM or Ctrl-C drains and ends the process; a second one, or a drain that takes too long, ends it at once. */
const stopOnSignal = (stopAll: Stop, { clock, telemetry }: Surroundings): void => {
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(1);
    stopping = true;
    clock.after(STOP_TIMEOUT_MS, () => {
      telemetry.log.error({ timeoutMs: STOP_TIMEOUT_MS }, "shutdown_timed_out");
      process.exit(1);
    });
    try {
      await stopAll();
      process.exit(0);
    } catch (error) {
      telemetry.log.error({ err: error }, "shutdown_failed");
      process.exit(1);
    }
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
};

/** The whole service in this process, on embedded engines; never throws: what is wrong is told, and the exit code set. */
export const runAll = async (): Promise<void> => {
  markHeapSeldom();
  const outcome = readConfig(process.env, (path) => readFileSync(path, "utf8"));
  if ("mistakes" in outcome) {
    const usableKey = generateApiKey(systemEntropy.bytes(API_KEY_BYTES));
    process.stderr.write(mistakesText(outcome.mistakes, usableKey));
    process.exitCode = 1;
    return;
  }
  const surroundings = {
    clock: systemClock,
    entropy: systemEntropy,
    telemetry: telemetryAt(outcome.config.LOG_LEVEL),
  };
  try {
    stopOnSignal(await start(outcome.config, surroundings), surroundings);
  } catch (error) {
    process.stderr.write(startErrorText(startErrorReason(error)));
    process.exit(1);
  }
};
