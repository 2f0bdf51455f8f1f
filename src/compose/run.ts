import { readFileSync } from "node:fs";
import { firstOwnerLink } from "../access/first-owner.ts";
import { systemClock, systemEntropy } from "../adapters/system/clock.ts";
import { MARKED_AT_DOUBLE, MARKED_BY_ALL_MEMORY, setHeapPace } from "../adapters/system/heap.ts";
import { type Config, hasApi, type Role, readConfig } from "../config/config.ts";
import { API_KEY_BYTES, generateApiKey } from "../domain/api-key.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import { telemetryAt } from "../telemetry/telemetry.ts";
import { takeAlertsBefore } from "./alerts-before.ts";
import { mistakesText, placesText, readyText, startErrorText, workerReadyText } from "./banner.ts";
import { showFirstKey } from "./bootstrap.ts";
import { keepCompiled } from "./compile-cache.ts";
import { type DataDirectory, openDataDirectory } from "./data-directory.ts";
import { closeEngines, openEngines, type ProcessEngines } from "./engines.ts";
import { openMail } from "./mail.ts";
import { prepare } from "./prepare.ts";
import { startService, VERSION, WORKERS } from "./service.ts";
import { startErrorReason } from "./start-error.ts";
import { inTurn } from "./start-lock.ts";
import { SILENCE, type SilenceLimits } from "./threads/thread-health.ts";
import { WorkerThreads } from "./threads/worker-threads.ts";

const STOP_TIMEOUT_MS = 10_000;

type Stop = () => Promise<void>;

interface Started {
  readonly engines: ProcessEngines;
  readonly directory: DataDirectory | null;
  readonly config: Config;
  readonly role: Role;
  readonly threads: WorkerThreads | null;
  readonly surroundings: Surroundings;
  readonly startedAt: number;
}

/** What runs, told to whoever started it. */
const serve = async (started: Started): Promise<Stop> => {
  const { engines, directory, config, role, threads, surroundings, startedAt } = started;
  const { control } = engines;
  const prepared = hasApi(role) ? await prepare(control, config, surroundings) : null;
  if (engines.timeSeries !== null) await takeAlertsBefore(control, engines.timeSeries);
  const mail = await openMail(config, role, directory, surroundings.clock);
  const { url, stop } = await startService(engines, config, surroundings, role, { threads, mail });
  const where = { version: VERSION, url, data: placesText(config, directory) };
  const tookMs = () => surroundings.clock.monotonic() - startedAt;
  if (prepared === null) {
    process.stdout.write(workerReadyText({ ...where, role, startedInMs: tookMs() }));
    return stop;
  }
  const { accountId, applied } = prepared;
  const reach = { publicUrl: config.PUBLIC_URL ?? url, reviewers: accountId };
  const owner = await inTurn(control, surroundings, () =>
    firstOwnerLink({ control, ...reach, ...surroundings }, config.OWNER_EMAIL ?? null),
  );
  const keyGiven = config.BOOTSTRAP_API_KEY !== undefined;
  const show = (apiKey: string | null) => {
    process.stdout.write(readyText({ ...where, owner, applied, keyGiven, apiKey, startedInMs: tookMs() }));
  };
  await inTurn(control, surroundings, () => showFirstKey(control, surroundings.entropy, accountId, show));
  return stop;
};

const needsDirectory = ({ engines }: Config): boolean =>
  Object.values(engines).some((settings) => settings === null);

/** Opens, serves, and gives what undoes all of it in reverse order. */
const start = async (
  config: Config,
  role: Role,
  surroundings: Surroundings,
  silence: SilenceLimits,
): Promise<Stop> => {
  const startedAt = surroundings.clock.monotonic();
  const stack = new AsyncDisposableStack();
  try {
    const threads = role === "all" ? new WorkerThreads(silence) : null;
    stack.defer(() => threads?.end());
    const directory = needsDirectory(config) ? await openDataDirectory(config.DATA_DIR) : null;
    stack.defer(() => directory?.release());
    const engines = stack.adopt(await openEngines(directory, config, surroundings, role), closeEngines);
    stack.defer(await serve({ engines, directory, config, role, threads, surroundings, startedAt }));
    return () => stack.disposeAsync();
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
};

/** Not by `process.exit`, which waits for every thread: for one that a system call holds, without end. */
const endAtOnce = (): void => void process.kill(process.pid, "SIGKILL");

/** SIGTERM or Ctrl-C drains and ends the process; a second one, or a drain that takes too long, ends it at once. */
const stopOnSignal = (stopAll: Stop, { clock, telemetry }: Surroundings): void => {
  let stopping = false;
  const stop = async () => {
    if (stopping) endAtOnce();
    stopping = true;
    clock.after(STOP_TIMEOUT_MS, () => {
      telemetry.log.error({ timeoutMs: STOP_TIMEOUT_MS }, "shutdown_timed_out");
      endAtOnce();
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

/**
 * All workers in this process, or one of them; never throws: what is wrong is told, and the exit code set. `silence`:
 * how long a thread may be silent.
 */
export const run = async (role: Role, silence = SILENCE): Promise<void> => {
  const outcome = readConfig(process.env, (path) => readFileSync(path, "utf8"), role);
  if ("mistakes" in outcome) {
    const usableKey = generateApiKey(systemEntropy.bytes(API_KEY_BYTES));
    process.stderr.write(mistakesText(outcome.mistakes, usableKey));
    process.exitCode = 1;
    return;
  }
  setHeapPace(outcome.config.engines.kafka === null ? MARKED_AT_DOUBLE : MARKED_BY_ALL_MEMORY);
  const surroundings = {
    clock: systemClock,
    entropy: systemEntropy,
    telemetry: telemetryAt(outcome.config.LOG_LEVEL),
  };
  try {
    const starting = start(outcome.config, role, surroundings, silence);
    // From now on, for a signal may come amid the start: then it is finished first, and drained as ever.
    stopOnSignal(async () => (await starting)(), surroundings);
    await starting;
    keepCompiled();
  } catch (error) {
    process.stderr.write(startErrorText(startErrorReason(error)));
    process.exit(1);
  }
};

/** One worker alone, named on the command line. */
export const runNamed = async (names: readonly string[]): Promise<void> => {
  const name = WORKERS.find((worker) => names.length === 1 && worker === names[0]);
  if (name !== undefined) return run(name);
  const choice = [...WORKERS].sort().join(", ");
  process.stderr.write(
    startErrorText(
      `Name one worker: ${choice}. For example: npm run worker -- ingest\nAll of them together: npm start`,
    ),
  );
  process.exitCode = 1;
};
