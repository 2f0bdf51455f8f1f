import { type ChildProcess, fork } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/telemetry.ts";
import type { RepairReport } from "./deduplication-repair.ts";
import { CONNECTIONS } from "./engine.ts";
import { type ChildArguments, ChildMessage, STOP } from "./messages.ts";

const ENTRY = fileURLToPath(new URL("child.ts", import.meta.url));
/** Beside the wait for the directory's lock. */
const READY_WITHIN_MS = 15_000;
const STOP_WITHIN_MS = 9_000;
/** What Node has for files and the like, beside one for each of the engine's connections. */
const FILE_THREADS = 4;

/** The engine is not installed: only an installation or another configuration helps. */
export class EngineNotInstalledError extends Error {
  override readonly name = "EngineNotInstalledError";
  constructor(reason: string) {
    super(
      `The embedded ClickHouse engine cannot be loaded. Install it with "npm install chdb", or set CLICKHOUSE_URL ` +
        `to use a ClickHouse server instead. (${reason})`,
    );
  }
}

/** One run of the child. */
export interface EngineProcess {
  readonly pid: number;
  /** Resolves when it is gone, with what it died of; never rejects. */
  readonly exited: Promise<string>;
  /** Ends it at once. */
  kill(): void;
  /** Asks it to close the engine and end, and ends it after a while if it does not. */
  stop(): Promise<void>;
}

const exitOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });

const logOutput = (child: ChildProcess, log: Logger): void => {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface(stream).on("line", (line) => log.debug({ line }, "engine_output"));
  }
};

const answerOf = (child: ChildProcess): Promise<ChildMessage> =>
  new Promise((resolve) => {
    child.once("message", (message) => resolve(ChildMessage.parse(message)));
  });

const readyOrThrow = async (
  child: ChildProcess,
  exited: Promise<string>,
  directory: string,
): Promise<RepairReport> => {
  const answer = await Promise.race([answerOf(child), exited]);
  if (typeof answer === "string") throw new Error(`the engine's process ended at its start: ${answer}`);
  if (answer.type === "ready") return answer.repair;
  if (answer.reason === "missing") throw new EngineNotInstalledError(answer.message);
  throw new Error(`cannot open ${directory}; is another process using it? (${answer.message})`);
};

const logRepair = ({ repaired, unreadable }: RepairReport, log: Logger): void => {
  for (const repair of repaired) log.warn(repair, "time_series_deduplication_repaired");
  // Served all the same: history matters more than what a kill might lose, and nothing is made worse.
  for (const table of unreadable) log.error({ table }, "time_series_deduplication_unreadable");
};

/** Starts a child and waits until it serves its socket; `signal` ends one that is still starting. */
export const startProcess = async (
  options: ChildArguments,
  clock: Clock,
  log: Logger,
  signal?: AbortSignal,
): Promise<EngineProcess> => {
  const child = fork(ENTRY, [JSON.stringify(options)], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    // Nothing of the parent's environment, which may hold secrets.
    env: { UV_THREADPOOL_SIZE: String(CONNECTIONS + FILE_THREADS), TZ: "UTC" },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const exited = exitOf(child);
  logOutput(child, log);
  const kill = () => child.kill("SIGKILL");
  const late = clock.after(READY_WITHIN_MS + options.lockWaitMs, kill);
  signal?.addEventListener("abort", kill);
  try {
    logRepair(await readyOrThrow(child, exited, options.directory), log);
  } catch (error) {
    kill();
    await exited;
    throw error;
  } finally {
    late();
    signal?.removeEventListener("abort", kill);
  }
  return {
    pid: child.pid ?? 0,
    exited,
    kill,
    stop: async () => {
      const overdue = clock.after(STOP_WITHIN_MS, kill);
      if (child.connected) child.send(STOP, () => undefined);
      await exited;
      overdue();
    },
  };
};
