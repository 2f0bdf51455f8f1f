import { systemClock, systemEntropy } from "../adapters/system/clock.ts";
import { type Config, readConfig } from "../config/config.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import { telemetryAt } from "../telemetry/telemetry.ts";
import { mistakesText, readyText, startErrorText } from "./banner.ts";
import { bootstrap } from "./bootstrap.ts";
import { openDataDirectory } from "./data-directory.ts";
import { closeEngines, openEmbedded } from "./engines.ts";
import { startService, VERSION } from "./service.ts";
import { startErrorReason } from "./start-error.ts";

const STOP_TIMEOUT_MS = 10_000;

interface Running {
  readonly banner: string;
  stop(): Promise<void>;
}

const start = async (config: Config, surroundings: Surroundings): Promise<Running> => {
  const startedAt = surroundings.clock.monotonic();
  const directory = await openDataDirectory(config.DATA_DIR);
  const engines = await openEmbedded(directory, config, surroundings).catch((error: unknown) => {
    directory.release();
    throw error;
  });
  const close = async () => {
    await closeEngines(engines);
    directory.release();
  };
  try {
    const { control } = engines;
    const { entropy } = surroundings;
    const { apiKey } = await bootstrap({
      control,
      entropy,
      apiKey: config.BOOTSTRAP_API_KEY,
      demo: config.DEMO,
    });
    const service = await startService(engines, config, surroundings);
    const startedInMs = surroundings.clock.monotonic() - startedAt;
    return {
      banner: readyText({
        version: VERSION,
        url: service.url,
        dataDirectory: directory.path,
        apiKey,
        startedInMs,
      }),
      stop: async () => {
        await service.stop();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** SIGTERM or Ctrl-C drains and ends the process; a second one, or a drain that takes too long, ends it at once. */
const stopOnSignal = (running: Running, { clock, telemetry }: Surroundings): void => {
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(1);
    stopping = true;
    clock.after(STOP_TIMEOUT_MS, () => {
      telemetry.log.error({ timeoutMs: STOP_TIMEOUT_MS }, "shutdown_timed_out");
      process.exit(1);
    });
    try {
      await running.stop();
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
  const outcome = readConfig(process.env);
  if ("mistakes" in outcome) {
    process.stderr.write(mistakesText(outcome.mistakes));
    process.exitCode = 1;
    return;
  }
  const surroundings = {
    clock: systemClock,
    entropy: systemEntropy,
    telemetry: telemetryAt(outcome.config.LOG_LEVEL),
  };
  try {
    const running = await start(outcome.config, surroundings);
    stopOnSignal(running, surroundings);
    process.stdout.write(`${running.banner}\n`);
  } catch (error) {
    process.stderr.write(startErrorText(startErrorReason(error)));
    process.exit(1);
  }
};
